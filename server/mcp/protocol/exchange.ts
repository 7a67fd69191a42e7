import { once } from 'node:events'
import type { ServerResponse } from 'node:http'
import { WebStandardStreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js'
import type { RawRequest } from '../../http/route.ts'
import { fail } from '../../lib/fail.ts'
import type { Caller } from '../caller.ts'
import type { Handlers } from '../handlers.ts'
import { createNotifier } from './notifier.ts'
import { createProtocolServer } from './server.ts'

type Exchange = {
  readonly request: RawRequest
  readonly caller: Caller
  /** Ends the exchange. */
  readonly signal: AbortSignal
  readonly handlers: Handlers
  /** Called with unexpected errors. */
  readonly onError: (error: unknown, requestId: string) => void
}

/** Connects a server to this one HTTP request. It is closed when the signal aborts. */
async function open({ caller, signal, handlers, onError }: Exchange, newSessionId: string | null) {
  const transport = new WebStandardStreamableHTTPServerTransport(
    newSessionId === null ? {} : { sessionIdGenerator: () => newSessionId },
  )
  const server = createProtocolServer(handlers, caller, onError)
  await server.connect(transport)
  const close = () => void server.close()
  if (signal.aborted) close()
  else signal.addEventListener('abort', close, { once: true })
  return { server, transport }
}

/**
 * Answers one message. The SDK gets only the headers it needs, because the steps before have checked the
 * others: it accepts every content type that they accept.
 */
export async function reply(exchange: Exchange & { readonly newSessionId: string | null }): Promise<void> {
  const { request, newSessionId, signal } = exchange
  const { server, transport } = await open(exchange, newSessionId)
  const message = new Request(localUrl, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      ...versionHeader(request),
    },
  })
  const response = await transport.handleRequest(message, { parsedBody: request.body })
  try {
    await write(request.res, response, signal)
  } finally {
    await server.close()
  }
}

/** Sends notifications until the exchange ends. The first one is sent immediately: an earlier change may be unknown. */
export async function notify(
  exchange: Exchange & { readonly listen: (onChange: () => void) => Promise<() => void> },
): Promise<void> {
  const { request, signal, listen } = exchange
  const { server, transport } = await open(exchange, null)
  const headers = { accept: 'text/event-stream', ...versionHeader(request) }
  const notifier = createNotifier(request.res, async () => {
    await server.sendPromptListChanged()
    await server.sendResourceListChanged()
  })
  const unlisten = await listen(notifier.changed)
  try {
    const response = await transport.handleRequest(new Request(localUrl, { method: 'GET', headers }))
    notifier.changed()
    await write(request.res, response, signal)
  } finally {
    unlisten()
    notifier.close()
    await server.close()
  }
}

/** The SDK reads no part of the address. */
const localUrl = 'http://localhost/mcp'

function versionHeader({ req }: RawRequest): Record<string, string> {
  const version = req.headers['mcp-protocol-version']
  return typeof version === 'string' ? { 'mcp-protocol-version': version } : {}
}

/** Writes a reply of the SDK at the pace of the client. Throws a problem for its errors. */
async function write(res: ServerResponse, response: Response, signal: AbortSignal): Promise<void> {
  if (!response.ok) throw fail('request.malformed', { detail: await reasonOf(response) })
  // The connection is Node's to keep or close.
  for (const [name, value] of response.headers) if (name !== 'connection') res.setHeader(name, value)
  res.writeHead(response.status)
  res.flushHeaders()
  if (response.body !== null) await pump(res, response.body, signal)
  res.end()
}

async function pump(
  res: ServerResponse,
  body: ReadableStream<Uint8Array>,
  signal: AbortSignal,
): Promise<void> {
  const reader = body.getReader()
  for (;;) {
    const { done, value } = await reader.read()
    if (done || res.destroyed) break
    if (!res.write(value)) await once(res, 'drain', { signal }).catch(() => undefined)
  }
  await reader.cancel()
}

async function reasonOf(response: Response): Promise<string> {
  const body: unknown = await response.json().catch(() => null)
  const error = typeof body === 'object' && body !== null && 'error' in body ? body.error : null
  const message = typeof error === 'object' && error !== null && 'message' in error ? error.message : null
  return typeof message === 'string' ? `${message.slice(0, 500)}.` : 'The message is not valid.'
}
