import type { IncomingMessage } from 'node:http'
import { Readable, Transform } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { constants, createBrotliDecompress, createGunzip, createInflate } from 'node:zlib'

/** Statuses without a body, for which `Response` does not accept one. */
const withoutBody = new Set([101, 103, 204, 205, 304])

/**
 * Returns a decoder for a server that compresses without being asked. It flushes each chunk, so that streams
 * are not delayed.
 */
function decoder(encoding: string | undefined): Transform | null {
  const flush = { flush: constants.Z_SYNC_FLUSH, finishFlush: constants.Z_SYNC_FLUSH }
  if (encoding === 'gzip' || encoding === 'x-gzip') return createGunzip(flush)
  if (encoding === 'deflate') return createInflate(flush)
  if (encoding === 'br') return createBrotliDecompress()
  if (encoding === undefined || encoding === '' || encoding === 'identity') return null
  throw new TypeError(`fetch failed: the reply is encoded as ${encoding}`)
}

function limitBytes(maxBytes: number): Transform {
  let seen = 0
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      seen += chunk.length
      if (seen > maxBytes) done(new TypeError(`fetch failed: the reply is larger than ${maxBytes} bytes`))
      else done(null, chunk)
    },
  })
}

type ReplyOptions = { readonly url: string; readonly maxBytes: number; readonly signal: AbortSignal }

/**
 * Converts a reply to a `Response` like that of `fetch`. The body is a stream of limited size; the socket
 * closes when the reader cancels it. Throws for a reply that `Response` does not accept.
 */
export function toResponse(res: IncomingMessage, options: ReplyOptions): Response {
  try {
    return converted(res, options)
  } catch (error) {
    // Nobody reads the body, so the server could keep the connection open.
    res.destroy()
    throw error
  }
}

function converted(res: IncomingMessage, { url, maxBytes, signal }: ReplyOptions): Response {
  const status = res.statusCode ?? 0
  const headers = new Headers()
  for (let index = 0; index + 1 < res.rawHeaders.length; index += 2) {
    headers.append(res.rawHeaders[index] ?? '', res.rawHeaders[index + 1] ?? '')
  }
  const init = { status, statusText: res.statusMessage ?? '', headers }
  if (withoutBody.has(status)) {
    const response = withUrl(new Response(null, init), url)
    // A body that is sent nevertheless may never end.
    res.destroy()
    return response
  }
  const decode = decoder(headers.get('content-encoding')?.trim().toLowerCase())
  if (decode !== null) {
    headers.delete('content-encoding')
    headers.delete('content-length')
  }
  const bounded = limitBytes(maxBytes)
  const response = withUrl(new Response(Readable.toWeb(bounded) as ReadableStream<Uint8Array>, init), url)
  const stop = () => bounded.destroy(signal.reason)
  signal.addEventListener('abort', stop, { once: true })
  // The reader receives errors from the stream itself.
  const done = decode === null ? pipeline(res, bounded) : pipeline(res, decode, bounded)
  done.catch(() => {}).finally(() => signal.removeEventListener('abort', stop))
  return response
}

/** Sets the URL, which the constructor of `Response` does not accept. */
const withUrl = (response: Response, url: string): Response =>
  Object.defineProperty(response, 'url', { value: url })
