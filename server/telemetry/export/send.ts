import { retryAfterMsOf } from '../../lib/text/retry-after.ts'
import { OutboundRefused } from '../../outbound/targets.ts'
import { loadCodec } from '../protocol/codec.ts'
import type { MessageName } from '../protocol/messages.ts'
import { numberOf } from '../protocol/values.ts'

export type ExportSignal = 'traces' | 'metrics'

/** The result of one request. `retryAfterMs`: the delay that the collector asked for. */
export type Sent =
  | { readonly kind: 'accepted'; readonly rejected: number }
  | { readonly kind: 'refused'; readonly reason: string }
  | { readonly kind: 'failed'; readonly reason: string; readonly retryAfterMs: number | null }

export type SendDeps = {
  readonly fetch: typeof globalThis.fetch
  readonly endpoint: string
  readonly headers: Readonly<Record<string, string>>
  readonly encoding: 'protobuf' | 'json'
  readonly timeoutMs: number
}

const requestNames: Readonly<Record<ExportSignal, MessageName>> = {
  traces: 'ExportTraceServiceRequest',
  metrics: 'ExportMetricsServiceRequest',
}
/** Statuses that may be retried (OTLP, "Failures"). */
const retryable: ReadonlySet<number> = new Set([429, 502, 503, 504])
const contentTypes = { protobuf: 'application/x-protobuf', json: 'application/json' }

/** Returns the body of a message: in JSON, ids are hexadecimal text. */
async function bodyOf(deps: SendDeps, signal: ExportSignal, message: object): Promise<Uint8Array> {
  if (deps.encoding === 'protobuf')
    return new Uint8Array((await loadCodec()).encode(requestNames[signal], message))
  return new TextEncoder().encode(JSON.stringify(message, hexIds))
}

/** `JSON.stringify` calls this with a Buffer already converted by its `toJSON`. */
function hexIds(_key: string, value: unknown): unknown {
  const isBytes = typeof value === 'object' && value !== null && 'type' in value && value.type === 'Buffer'
  return isBytes && 'data' in value ? Buffer.from(value.data as number[]).toString('hex') : value
}

/** Sends a message to a collector. Never throws. */
export async function send(
  deps: SendDeps,
  signal: ExportSignal,
  message: object,
  stop: AbortSignal,
): Promise<Sent> {
  const timeout = AbortSignal.timeout(deps.timeoutMs)
  try {
    const response = await deps.fetch(`${deps.endpoint}/v1/${signal}`, {
      method: 'POST',
      headers: { ...deps.headers, 'content-type': contentTypes[deps.encoding] },
      body: (await bodyOf(deps, signal, message)) as Uint8Array<ArrayBuffer>,
      redirect: 'manual',
      signal: AbortSignal.any([stop, timeout]),
    })
    const bytes = Buffer.from(await response.arrayBuffer())
    const { status, headers, ok } = response
    if (ok)
      return { kind: 'accepted', rejected: await rejectedIn(bytes, headers.get('content-type'), signal) }
    const reason = `The collector replied ${status}`
    if (!retryable.has(status)) return { kind: 'refused', reason }
    return { kind: 'failed', reason, retryAfterMs: retryAfterMsOf(headers.get('retry-after')) }
  } catch (error) {
    if (error instanceof OutboundRefused) return { kind: 'refused', reason: error.message }
    if (stop.aborted) return failed('The service stopped before the collector replied')
    if (timeout.aborted) return failed(`The collector did not reply within ${deps.timeoutMs} ms`)
    return failed(`The collector could not be reached${codeOf(error)}`)
  }
}

function codeOf(error: unknown): string {
  const cause = error instanceof Error ? (error.cause ?? error) : error
  return cause instanceof Error && 'code' in cause ? ` (${String(cause.code)})` : ''
}

const failed = (reason: string): Sent => ({ kind: 'failed', reason, retryAfterMs: null })

/** Returns the number of rejected spans in a reply; 0 for a reply that cannot be read. */
async function rejectedIn(bytes: Buffer, type: string | null, signal: ExportSignal): Promise<number> {
  if (signal !== 'traces' || bytes.length === 0) return 0
  try {
    const reply: unknown =
      type?.includes('json') === true
        ? JSON.parse(bytes.toString('utf8'))
        : (await loadCodec()).decode('ExportTraceServiceResponse', bytes)
    const { partialSuccess } = reply as { partialSuccess?: { rejectedSpans?: unknown } | null }
    return numberOf(partialSuccess?.rejectedSpans) ?? 0
  } catch {
    return 0
  }
}
