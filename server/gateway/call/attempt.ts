import type { ServerResponse } from 'node:http'
import type { Clock } from '../../lib/clock.ts'
import { principalOf } from '../../lib/context.ts'
import { type DirectProvider, ModelError } from '../../models/model.ts'
import { malformed } from '../../models/protocol/failure.ts'
import type { PassThrough } from '../../outbound/pass-through.ts'
import { keepBody } from '../cache/keep-body.ts'
import type { CachedReply } from '../cache/response-cache.ts'
import { replyOffline } from '../offline/reply.ts'
import type { ProviderReply } from '../reply/provider-reply.ts'
import { createReplyReader, type ReplyReader } from '../reply/reply-reader.ts'
import { callerHeaders, providerHeaders, providerSearch } from '../request/headers.ts'
import { copyReply } from './copy.ts'
import type { Exchange } from './exchange.ts'
import type { Ended } from './outcome.ts'
import { createGatewayTimer, type GatewayTimeouts } from './timer.ts'

export type AttemptDeps = {
  readonly outbound: Pick<PassThrough, 'send'>
  readonly timeouts: GatewayTimeouts
  readonly clock: Clock
}

export type Attempt = {
  readonly exchange: Exchange
  readonly provider: DirectProvider
  readonly body: Buffer | null
  /** The body without its content encoding. */
  readonly content: Buffer | null
  /** True if the body is not that of the caller. It has no content encoding then. */
  readonly isRewritten: boolean
  /** The path below the address of the provider. */
  readonly path: string
  /** The key of the service; null if there is none, or the caller has its own. */
  readonly key: string | null
  /** The id that the reply announces; null if the request is not a model call. */
  readonly callId: string | null
  /** Nothing is sent before it resolves, neither to the provider nor to the caller. */
  readonly ready: Promise<unknown>
  readonly signal: AbortSignal
  /** True if another model is tried when this one is not available: such a reply is not sent to the caller. */
  readonly hasNext: boolean
  /** Receives the reply if it was complete and small enough to keep; null for no receiver. */
  readonly onComplete: ((reply: CachedReply) => void) | null
  /** Called when a model call has its slot. */
  readonly onSlot: () => void
  /** Called with the first text or tool call. */
  readonly onFirst: () => void
}

/**
 * Sends the request to the provider and its reply to the caller. Never throws: the result contains the error. Nothing
 * was sent to the caller if it has no status.
 */
export async function attempt(deps: AttemptDeps, it: Attempt): Promise<Ended> {
  const { exchange, provider, signal } = it
  const { res, match, hasOwnKey } = exchange
  const refusal = provider.refusal(hasOwnKey)
  if (refusal !== null) return nothing(new ModelError('not_configured', refusal))
  const timer = createGatewayTimer(signal, deps.timeouts, () => res.writableNeedDrain)
  // A call that is not admitted does not wait for a slot, with its body in memory.
  it.ready.catch(timer.cancel)
  let release: (() => void) | null = null
  try {
    // Lists and counts cost nothing and are quick, so they need no slot.
    if (it.callId !== null) {
      release = await provider.take(timer.signal, principalOf(exchange.ctx.actor))
      it.onSlot()
    }
    const reply = await send(deps, it, timer.signal)
    if (!hasValidStatus(reply)) {
      reply.destroy()
      return nothing(malformed('its status line is not valid'))
    }
    timer.progress()
    let resume = () => {}
    const reader = createReplyReader({
      protocol: match.protocol,
      operation: match.operation,
      contentType: reply.headers['content-type'] ?? '',
      contentEncoding: reply.headers['content-encoding'] ?? '',
      onFirst: it.onFirst,
      onDrain: () => resume(),
    })
    const kept = it.onComplete === null ? null : keepBody(reader, match.operation, it.onComplete)
    const isHeld = it.hasNext && isUnavailable(reply.statusCode ?? 0)
    const error = isHeld
      ? await readAside(reply, reader)
      : await copy(
          it,
          reply,
          { reader: kept?.reader ?? reader, signal: timer.signal, onChunk: timer.progress },
          (next) => {
            resume = next
          },
        )
    const isParsed = await reader.end()
    const headers = reply.headers as Ended['headers']
    const { content } = reader
    if (error === null && isParsed) kept?.complete(reply)
    return { status: reply.statusCode ?? null, headers, content, isParsed, error, isSent: !isHeld }
  } catch (error) {
    return nothing(error)
  } finally {
    timer.stop()
    release?.()
  }
}

/** Returns false for a status line that Node accepts in a reply and refuses to send. */
const hasValidStatus = ({ statusCode = 0, statusMessage = '' }: ProviderReply): boolean =>
  statusCode >= 200 && !/[^\t\x20-\x7e\x80-\xff]/.test(statusMessage)

const nothing = (error: unknown): Ended => ({
  status: null,
  headers: {},
  content: null,
  isParsed: false,
  error,
  isSent: false,
})

/** Sends the request to the address of the provider. A provider without one replies inside the service. */
async function send(
  { outbound, clock }: AttemptDeps,
  it: Attempt,
  signal: AbortSignal,
): Promise<ProviderReply> {
  const { provider, exchange, content: body, callId, ready } = it
  const { generate, settings, name } = provider
  if (generate === null) return outbound.send(requestOf(it, signal))
  await ready
  return replyOffline(
    { match: exchange.match, name, models: settings.models, generate, body, callId, clock },
    signal,
  )
}

function requestOf(
  { exchange, provider, body, isRewritten, path, key, ready }: Attempt,
  signal: AbortSignal,
): Parameters<PassThrough['send']>[0] {
  const { match, req, search, hasOwnKey } = exchange
  const { baseUrl, isLocal } = provider.settings
  const address = (baseUrl ?? '').replace(/\/+$/, '')
  return {
    url: `${address}${match.protocol.providerPath}${path}${providerSearch(search, hasOwnKey)}`,
    target: { isLocal },
    method: req.method ?? 'GET',
    headers: providerHeaders(req.rawHeaders, hasOwnKey ? null : provider.keyHeaders(key), isRewritten),
    body,
    signal,
    ready,
  }
}

/** Sends a reply from memory. */
export function replay({ res }: Exchange, callId: string, reply: CachedReply): Ended {
  const { status, statusMessage, rawHeaders, body, content } = reply
  setHeaders(res, callerHeaders(rawHeaders, callId))
  res.writeHead(status, statusMessage)
  res.end(body)
  const pairs = rawHeaders.flatMap((name, at) =>
    at % 2 === 0 ? [[name.toLowerCase(), rawHeaders[at + 1]]] : [],
  )
  return { status, headers: Object.fromEntries(pairs), content, isParsed: true, error: null, isSent: true }
}

/** Returns true if another provider may be able to reply. */
const isUnavailable = (status: number): boolean => status === 408 || status === 429 || status >= 500

/** Bytes of a reply that is not sent; they describe its error. */
const maxAside = 64 * 1024

/** Reads a reply for the run log alone. Returns the error that ended it early, or null. */
async function readAside(reply: ProviderReply, reader: ReplyReader): Promise<unknown> {
  let size = 0
  try {
    for await (const chunk of reply) {
      size += (chunk as Buffer).length
      if (size > maxAside) break
      reader.write(chunk as Buffer)
    }
    return null
  } catch (error) {
    return error
  }
}

/** Sends head and body to the caller. Returns the error that ended the reply early, or null. */
async function copy(
  { exchange: { res }, callId, signal }: Attempt,
  reply: ProviderReply,
  parts: Pick<Parameters<typeof copyReply>[0], 'reader' | 'signal' | 'onChunk'>,
  onResume: (resume: () => void) => void,
): Promise<unknown> {
  if (signal.aborted) {
    reply.destroy()
    return signal.reason
  }
  setHeaders(res, callerHeaders(reply.rawHeaders, callId))
  res.writeHead(reply.statusCode ?? 502, reply.statusMessage ?? '')
  // A body that has arrived by now is sent in the same packet.
  if (reply.readableLength === 0) res.flushHeaders()
  try {
    await copyReply({ from: reply, to: res, onResume, ...parts })
    return null
  } catch (error) {
    return error
  }
}

/** Headers of this service that let the pages of an allowed origin read a reply. */
const keptHeaders: ReadonlySet<string> = new Set([
  'access-control-allow-origin',
  'access-control-expose-headers',
])

/** Replaces the headers of this service, which describe its own replies, by those of the provider. */
function setHeaders(res: ServerResponse, raw: readonly string[]): void {
  for (const name of res.getHeaderNames()) if (!keptHeaders.has(name)) res.removeHeader(name)
  const lines = new Map<string, [name: string, ...values: string[]]>()
  for (let index = 0; index + 1 < raw.length; index += 2) {
    const name = raw[index] ?? ''
    const line = lines.get(name.toLowerCase()) ?? [name]
    line.push(raw[index + 1] ?? '')
    lines.set(name.toLowerCase(), line)
  }
  for (const [lower, [name, ...values]] of lines) if (!res.hasHeader(lower)) res.setHeader(name, values)
}
