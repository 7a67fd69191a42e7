import { type IRouter, Router } from 'express'
import type { Endpoint } from '../../../contract/common/endpoint.ts'
import {
  telemetry as endpoints,
  otlpMediaTypes,
  otlpMetricsPath,
  workspaceHeader,
} from '../../../contract/telemetry/telemetry.ts'
import type { Db } from '../../db/types.ts'
import { principalOf } from '../../lib/context.ts'
import { fail } from '../../lib/fail.ts'
import type { Encoding, Signal } from '../../telemetry/protocol/encoding.ts'
import type { Telemetry } from '../../telemetry/receive/receive.ts'
import { statusOf } from '../../telemetry/receive/reply.ts'
import { createSlots } from '../../telemetry/receive/slots.ts'
import type { RequestLog } from '../metrics/request-log.ts'
import { problemHeaders } from '../problem.ts'
import { mediaTypeOf, readCompressedBody } from '../steps/compressed-body.ts'
import type { EndpointSteps } from '../steps/endpoint-steps.ts'
import type { LogProblem } from '../steps/reply-with-problem.ts'
import { requireStep, type Step, type StepRequest, type StepResponse } from '../steps/request-state.ts'

export type TelemetryDeps = {
  readonly telemetry: Telemetry
  readonly db: Pick<Db, 'settled'>
  readonly steps: Pick<EndpointSteps, 'access' | 'recheck'>
  readonly logProblem: LogProblem
  readonly log: RequestLog
}

/** Seconds after which an exporter sends again while the store is not available. */
const retryAfterUnavailable = 10

/** Returns the error handler for the paths of telemetry, which also gets the errors of the steps of every request. */
export const createStatusReply =
  (deps: TelemetryDeps) =>
  (error: unknown, req: StepRequest, res: StepResponse, _next: unknown): Promise<void> =>
    replyWithStatus(deps, error, req, res)

/** Creates the router of the OTLP endpoints. */
export function createTelemetryRouter(deps: TelemetryDeps): IRouter {
  const router = Router({ caseSensitive: true, strict: true })
  const slots = createSlots()
  const receive =
    (signal: Signal): Step =>
    (req, res) => {
      const { context } = requireStep(res.locals.caller, 'authenticate')
      return slots(principalOf(context.actor), () => reply(deps, signal, req, res))
    }
  for (const signal of ['traces', 'logs'] as const) {
    const endpoint = endpointOf(signal)
    const access = deps.steps.access(endpoint)
    router.post(endpoint.path, ...access, receive(signal))
    router.all(endpoint.path, ...access, () => {
      throw fail('method_not_allowed', { allow: ['POST'] })
    })
  }
  // Exporters do not retry 404, and write the message to the log of their app.
  router.post(otlpMetricsPath, () => {
    throw fail('not_found', {
      detail: 'This service does not receive metrics. Set OTEL_METRICS_EXPORTER=none.',
    })
  })
  return router
}

const endpointOf = (signal: Signal) => endpoints[signal] as unknown as Endpoint

async function reply(
  deps: TelemetryDeps,
  signal: Signal,
  req: StepRequest,
  res: StepResponse,
): Promise<void> {
  const encoding = encodingOf(req)
  if (encoding === null) {
    throw fail('request.unsupported_media_type', {
      detail: `Send the body as ${otlpMediaTypes.protobuf} or ${otlpMediaTypes.json}.`,
    })
  }
  const body = await readCompressedBody(req)
  await deps.steps.recheck(endpointOf(signal))(req, res, () => undefined)
  const { context } = requireStep(res.locals.caller, 'authenticate')
  const header = req.headers[workspaceHeader.toLowerCase()]
  const workspace = typeof header === 'string' && header !== '' ? header.slice(0, 64) : null
  const result = await deps.telemetry.receive(context, { signal, encoding, body, workspace })
  await deps.db.settled()
  send(res, 200, encoding, result)
  deps.log(req, res)
}

/** Replies to any error with a google.rpc.Status. */
async function replyWithStatus(
  deps: TelemetryDeps,
  error: unknown,
  req: StepRequest,
  res: StepResponse,
): Promise<void> {
  const problem = deps.logProblem(error, req, res)
  // A full store is the only error of its status. Exporters drop data on it, and retry on 503.
  const status = problem.code === 'store.full' ? 503 : problem.status
  const encoding = encodingOf(req) ?? 'json'
  const body = await statusOf(problem, status, encoding)
  for (const [name, value] of Object.entries(problemHeaders(problem))) res.setHeader(name, value)
  if (status === 503) res.setHeader('retry-after', String(retryAfterUnavailable))
  if (!req.complete) res.setHeader('connection', 'close')
  send(res, status, encoding, body)
  deps.log(req, res)
}

function encodingOf(req: StepRequest): Encoding | null {
  const type = mediaTypeOf(req)
  if (type === otlpMediaTypes.protobuf) return 'protobuf'
  return type === otlpMediaTypes.json ? 'json' : null
}

function send(res: StepResponse, status: number, encoding: Encoding, body: Buffer): void {
  if (res.destroyed || res.headersSent) return
  res.writeHead(status, {
    'x-request-id': res.locals.requestId,
    'content-type': otlpMediaTypes[encoding],
    'content-length': body.length,
  })
  res.end(body)
}
