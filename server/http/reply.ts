import { once } from 'node:events'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { promisify } from 'node:util'
import { constants, gzip } from 'node:zlib'
import type { ProblemBody } from '../../contract/problem.ts'
import type { Download } from '../lib/download.ts'
import type { Problem } from '../lib/fail.ts'
import { isKnown } from './etag.ts'
import { apiHeaders } from './headers.ts'
import { problemBody, problemHeaders } from './problem.ts'
import type { EventReply } from './route.ts'
import type { Turn } from './turns.ts'

const compress = promisify(gzip)
/** The request headers on which a reply depends, so that caches do not serve it to another origin. */
const vary = 'Accept-Encoding, Origin'
/** Minimum length in bytes. A shorter reply fits one packet, so compression saves nothing. */
const worthCompressing = 1400

export type ReplyHead = { readonly requestId: string; readonly headers: Readonly<Record<string, string>> }

/** Sends a reply, compressed with gzip if the client accepts it and the text is long enough. */
export async function sendText(
  req: IncomingMessage,
  res: ServerResponse,
  head: ReplyHead,
  status: number,
  contentType: string,
  text: string,
): Promise<void> {
  const length = Buffer.byteLength(text)
  const acceptsGzip =
    length > worthCompressing && /\bgzip\b/.test(String(req.headers['accept-encoding'] ?? ''))
  // A string is sent in one packet with the head; a Buffer would be sent separately.
  const body = acceptsGzip ? await compress(text, { level: constants.Z_BEST_SPEED }) : text
  if (res.destroyed) return
  res.writeHead(status, {
    ...apiHeaders,
    ...head.headers,
    'x-request-id': head.requestId,
    'content-type': contentType,
    'content-length': typeof body === 'string' ? length : body.length,
    vary,
    ...(acceptsGzip && { 'content-encoding': 'gzip' }),
  })
  res.end(body)
}

export function sendJson(
  req: IncomingMessage,
  res: ServerResponse,
  head: ReplyHead,
  status: number,
  json: string,
) {
  return sendText(req, res, head, status, 'application/json; charset=utf-8', json)
}

/** Sends a reply with its ETag, or 304 if the client has that state already. */
export async function sendTagged(
  req: IncomingMessage,
  res: ServerResponse,
  head: ReplyHead,
  { status, etag, json }: { readonly status: number; readonly etag: string; readonly json: string },
): Promise<void> {
  // The client may store the reply but must revalidate it, because it may change at any moment.
  const headers = { ...head.headers, etag, vary, 'cache-control': 'private, no-cache' }
  const isRead = req.method === 'GET' || req.method === 'HEAD'
  if (isRead && isKnown(req.headers['if-none-match'], etag)) {
    res.writeHead(304, { ...apiHeaders, ...headers, 'x-request-id': head.requestId }).end()
    return
  }
  await sendJson(req, res, { ...head, headers }, status, json)
}

/** Sends an error reply. If a reply was already begun, closes the connection instead. */
export async function sendProblem(
  req: IncomingMessage,
  res: ServerResponse,
  head: ReplyHead,
  problem: Problem,
) {
  if (res.headersSent) {
    // A download failed in the middle. Only closing the connection can signal that.
    res.destroy(problem)
    return
  }
  const instance = (req.url ?? '/').split('?', 1)[0] ?? '/'
  const body = JSON.stringify(problemBody(problem, instance, head.requestId))
  const isBodyUnread = !req.complete
  const headers = {
    ...head.headers,
    ...problemHeaders(problem),
    ...(isBodyUnread && { connection: 'close' }),
  }
  await sendText(
    req,
    res,
    { ...head, headers },
    problem.status,
    'application/problem+json; charset=utf-8',
    body,
  )
}

/**
 * Sends server-sent events (WHATWG) as fast as the client reads. The source must report its errors as `error`
 * events; if it throws, the connection is closed.
 */
export async function sendEvents(
  res: ServerResponse,
  head: ReplyHead,
  { events }: EventReply,
  turn: Turn,
): Promise<void> {
  res.writeHead(200, {
    ...apiHeaders,
    ...head.headers,
    'x-request-id': head.requestId,
    'content-type': 'text/event-stream; charset=utf-8',
    'x-accel-buffering': 'no',
  })
  res.flushHeaders()
  for await (const given of events) {
    await turn()
    if (res.destroyed || res.writableEnded) return
    const text = given.map(({ event, data }) => `event: ${event}\ndata: ${JSON.stringify(data)}\n\n`)
    if (!res.write(text.join(''))) await drained(res)
  }
  res.end()
}

/** Ends the events with the problem as an `error` event. Does nothing if no event was sent yet. */
export function endEvents(res: ServerResponse, problem: ProblemBody): void {
  if (res.headersSent && !res.writableEnded) res.end(`event: error\ndata: ${JSON.stringify(problem)}\n\n`)
}

/** Resolves when the client has read the buffered data or has disconnected. Removes its listeners. */
async function drained(res: ServerResponse): Promise<void> {
  const over = new AbortController()
  const { signal } = over
  try {
    await Promise.race([once(res, 'drain', { signal }), once(res, 'close', { signal })])
  } finally {
    over.abort()
  }
}

/** Streams a file as fast as the client reads. If the client disconnects, the source ends. */
export async function sendDownload(res: ServerResponse, head: ReplyHead, download: Download): Promise<void> {
  res.writeHead(200, {
    ...apiHeaders,
    ...head.headers,
    'x-request-id': head.requestId,
    'content-type': download.contentType,
    'content-disposition': `attachment; filename="${download.filename.replace(/[^\w.-]/g, '_')}"`,
  })
  await pipeline(Readable.from(download.chunks, { objectMode: false, highWaterMark: 64 * 1024 }), res).catch(
    (error: unknown) => {
      const left = error instanceof Error && 'code' in error && error.code === 'ERR_STREAM_PREMATURE_CLOSE'
      if (!left) throw error
    },
  )
}
