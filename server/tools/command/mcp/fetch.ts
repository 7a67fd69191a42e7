import { setMaxListeners } from 'node:events'
import type { IncomingMessage } from 'node:http'
import { Readable } from 'node:stream'
import type { ReadableStream as WebStream } from 'node:stream/web'
import { readText, send } from '../connection/send.ts'
import { failureOf, type Service } from '../connection/service.ts'
import { withFinalReply } from './final-reply.ts'

/** Time without data after which a connection counts as broken: the service sends a comment every 15 seconds. */
const timeoutMs = 60_000
const maxErrorBytes = 64 * 1024

/**
 * Returns a `fetch` that finds the service for each request, and uses its token and CA, without redirects. Rejects with a
 * `Failure` if the service cannot be reached or rejects the request. The replies to a request end with an error reply.
 */
export function fetchFrom(findService: () => Promise<Service>) {
  return async (url: string | URL, init: RequestInit = {}): Promise<Response> => {
    const service = await findService()
    const { pathname, search } = new URL(url)
    const headers = new Headers(init.headers)
    const token = service.token()
    if (token !== null) headers.set('authorization', `Bearer ${token}`)
    const reply = await send({
      origin: service.origin,
      method: init.method ?? 'GET',
      path: pathname + search,
      headers: Object.fromEntries(headers),
      ca: service.ca,
      timeoutMs,
      ...(typeof init.body === 'string' && { body: init.body }),
      ...signalOf(init),
    })
    const status = reply.statusCode ?? 0
    if (status < 200 || status > 299) throw failureOf(service, status, await readText(reply, maxErrorBytes))
    const received = new Headers()
    for (const [name, value] of Object.entries(reply.headers)) received.set(name, String(value))
    if (status === 202 || status === 204) {
      reply.resume()
      return new Response(null, { status, headers: received })
    }
    const body = bodyOf(reply, init.body, service.origin)
    return new Response(body, { status, headers: received })
  }
}

/** Returns the signal that ends all requests. Node would warn of a leak at the eleventh. */
function signalOf({ signal }: RequestInit): { readonly signal?: AbortSignal } {
  if (!signal) return {}
  setMaxListeners(0, signal)
  return { signal }
}

function bodyOf(
  reply: IncomingMessage,
  sentBody: RequestInit['body'],
  origin: string,
): ReadableStream<Uint8Array> {
  const isAnswer =
    typeof sentBody === 'string' && reply.headers['content-type']?.startsWith('text/event-stream') === true
  const bytes = isAnswer
    ? Readable.from(withFinalReply(reply, sentBody, origin), { objectMode: false })
    : reply
  // Node and the compiler have different types of the same stream.
  return Readable.toWeb(bytes) as WebStream<Uint8Array> as ReadableStream<Uint8Array>
}
