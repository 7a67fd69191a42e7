import { randomUUID } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { mcpPath } from '../../../contract/system/mcp.ts'
import { otlpMetricsPath, telemetry } from '../../../contract/telemetry/telemetry.ts'
import type { Identity } from '../../auth/identity/identity.ts'
import type { Clock } from '../../lib/clock.ts'
import type { Context } from '../../lib/context.ts'
import type { Download } from '../../lib/download.ts'
import type { RawRequest } from '../route.ts'
import type { Params, Parsed } from './input.ts'

/** The caller of a request, set by the step `authenticate`. */
export type Caller = {
  /** Null for an anonymous request to a public endpoint. */
  readonly identity: Identity | null
  readonly token: string | null
  /** The number of changes of access before the caller was identified. */
  readonly generation: number
  readonly context: Context
}

/** The validated input of a request, set by the step `validate`. */
export type ValidInput = {
  readonly input: Parsed & { readonly ifMatch: string | null }
  /** The body before validation, which an idempotency key is compared with. */
  readonly body: unknown
}

/** The result of a handler, set by the step `handle` and sent by the step `reply`. */
export type Result =
  | { readonly kind: 'json'; readonly status: number; readonly json: string; readonly etag: string | null }
  | { readonly kind: 'download'; readonly download: Download }
  | {
      readonly kind: 'events'
      /** Starts the handler, which runs while its events are sent. */
      readonly start: (signal: AbortSignal) => Promise<unknown>
      /** Frees the caller's slot among the open event streams. */
      readonly releaseSlot: () => void
    }
  | {
      readonly kind: 'raw'
      /** Writes the reply. */
      readonly write: (watchAccess: RawRequest['watchAccess']) => Promise<void>
    }

/** The state of one request. Each step adds its part for the steps after it. */
export type RequestState = {
  readonly requestId: string
  readonly startedAt: Date
  /** Monotonic time of the start in milliseconds. */
  readonly begunMs: number
  /** Path and query as received. Express shortens `req.url` in routers. */
  readonly path: string
  readonly search: string
  /** True under /api and for /mcp: the request is logged, and may have its own id. */
  readonly isApi: boolean
  readonly isGateway: boolean
  readonly isTelemetry: boolean
  /** The path pattern of the endpoint, or `unmatched` for a path or method without one. */
  pattern: string
  /** The paired device on the network that may use a public route, set by the step of `lan-access.ts`. */
  pairedDeviceId: string | null
  caller: Caller | null
  valid: ValidInput | null
  result: Result | null
}

/** A request whose path parameters are known. Both Express and the hot routes set them. */
export type StepRequest = IncomingMessage & { readonly params: Params }
/** A response with the state of its request in `locals`, where Express expects it. */
export type StepResponse = ServerResponse & { locals: RequestState }
export type Next = (error?: unknown) => void
/** One step of the request pipeline, which is also an Express middleware. */
export type Step = (req: StepRequest, res: StepResponse, next: Next) => void | Promise<void>

export const telemetryPaths: ReadonlySet<string> = new Set([
  ...Object.values(telemetry).map(({ path }) => path),
  otlpMetricsPath,
])

const usableRequestId = /^[\w.-]{1,64}$/

export function createRequestState(req: IncomingMessage, clock: Clock): RequestState {
  const header = req.headers['x-request-id']
  const url = req.url ?? '/'
  const queryStart = url.indexOf('?')
  const path = queryStart === -1 ? url : url.slice(0, queryStart)
  const isApi = path === '/api' || path.startsWith('/api/') || path === mcpPath
  const isHeaderUsed = isApi && typeof header === 'string' && usableRequestId.test(header)
  return {
    requestId: isHeaderUsed ? header : `req_${randomUUID()}`,
    startedAt: clock.now(),
    begunMs: performance.now(),
    path,
    search: queryStart === -1 ? '' : url.slice(queryStart + 1),
    isApi,
    isGateway: path.startsWith('/gateway/'),
    isTelemetry: telemetryPaths.has(path),
    pattern: 'unmatched',
    pairedDeviceId: null,
    caller: null,
    valid: null,
    result: null,
  }
}

/** Returns what an earlier step has set. Throws if that step did not run, so that no check is skipped. */
export function requireStep<T>(value: T | null, step: string): T {
  if (value === null) throw new Error(`The step ${step} did not run`)
  return value
}
