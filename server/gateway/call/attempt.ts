import type { IncomingMessage, ServerResponse } from 'node:http'
import { principalOf } from '../../lib/context.ts'
import { type DirectProvider, ModelError } from '../../models/model.ts'
import type { PassThrough } from '../../outbound/pass-through.ts'
import { createReplyReader } from '../reply/reply-reader.ts'
import { callerHeaders, providerHeaders, providerSearch } from '../request/headers.ts'
import { copyReply } from './copy.ts'
import type { Exchange } from './exchange.ts'
import type { Ended } from './outcome.ts'
import { createGatewayTimer, type GatewayTimeouts } from './timer.ts'

export type AttemptDeps = {
  readonly outbound: Pick<PassThrough, 'send'>
  readonly timeouts: GatewayTimeouts
}

export type Attempt = {
  readonly exchange: Exchange
  readonly provider: DirectProvider
  readonly body: Buffer | null
  /** The path below the address of the provider. */
  readonly path: string
  /** The key of the service; null if there is none, or the caller has its own. */
  readonly key: string | null
  /** The id that the reply announces; null if the request is not a model call. */
  readonly callId: string | null
  readonly signal: AbortSignal
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
  let release: (() => void) | null = null
  try {
    // Lists and counts cost nothing and are quick, so they need no slot.
    if (it.callId !== null) release = await provider.take(timer.signal, principalOf(exchange.ctx.actor))
    const reply = await deps.outbound.send(requestOf(it, timer.signal))
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
    const error = await copy(it, reply, { reader, signal: timer.signal, onChunk: timer.progress }, (next) => {
      resume = next
    })
    const isParsed = await reader.end()
    const headers = reply.headers as Ended['headers']
    return { status: reply.statusCode ?? null, headers, content: reader.content, isParsed, error }
  } catch (error) {
    return nothing(error)
  } finally {
    timer.stop()
    release?.()
  }
}

const nothing = (error: unknown): Ended => ({
  status: null,
  headers: {},
  content: null,
  isParsed: false,
  error,
})

function requestOf(
  { exchange, provider, body, path, key }: Attempt,
  signal: AbortSignal,
): Parameters<PassThrough['send']>[0] {
  const { match, req, search, hasOwnKey } = exchange
  const { baseUrl, isLocal } = provider.settings
  const address = (baseUrl ?? '').replace(/\/+$/, '')
  return {
    url: `${address}${match.protocol.providerPath}${path}${providerSearch(search, hasOwnKey)}`,
    target: { isLocal },
    method: req.method ?? 'GET',
    headers: providerHeaders(req.rawHeaders, hasOwnKey ? null : provider.keyHeaders(key)),
    body,
    signal,
  }
}

/** Sends head and body to the caller. Returns the error that ended the reply early, or null. */
async function copy(
  { exchange: { res }, callId, signal }: Attempt,
  reply: IncomingMessage,
  parts: Pick<Parameters<typeof copyReply>[0], 'reader' | 'signal' | 'onChunk'>,
  onResume: (resume: () => void) => void,
): Promise<unknown> {
  if (signal.aborted) {
    reply.destroy()
    return signal.reason
  }
  setHeaders(res, callerHeaders(reply.rawHeaders, callId))
  res.writeHead(reply.statusCode ?? 502, reply.statusMessage ?? '')
  res.flushHeaders()
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
