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
/** What a reply depends on: in a cache, one for this page must not be served to another. */
const vary = 'Accept-Encoding, Origin'
/** Below this a reply fits one packet; compressing it saves nothing. */
const worthCompressing = 1400

export type ReplyHead = { readonly requestId: string; readonly headers: Readonly<Record<string, string>> }

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
  // Text that stays as it is goes out in one piece with its head; bytes would be a second one.
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

/** A reply with its ETag, or 304 when the reader has that state already. */
export async function sendTagged(
  req: IncomingMessage,
  res: ServerResponse,
  head: ReplyHead,
  { status, etag, json }: { readonly status: number; readonly etag: string; readonly json: string },
): Promise<void> {
  // May be kept, and must be asked about each time: what is served can change at any moment.
  const headers = { ...head.headers, etag, vary, 'cache-control': 'private, no-cache' }
  const isRead = req.method === 'GET' || req.method === 'HEAD'
  if (isRead && isKnown(req.headers['if-none-match'], etag)) {
    res.writeHead(304, { ...apiHeaders, ...headers, 'x-request-id': head.requestId }).end()
    return
  }
  await sendJson(req, res, { ...head, headers }, status, json)
}

export async function sendProblem(
  req: IncomingMessage,
  res: ServerResponse,
  head: ReplyHead,
  problem: Problem,
) {
  if (res.headersSent) {
    // A download that broke in the middle: cutting the connection is the only truthful signal left.
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
 * Sends events (WHATWG server-sent events) at the pace of the reader. What the source throws after the first byte is the
 * source's to tell, as an `error` event; here it cuts the connection.
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

/** Ends events before their source does, with the reason as an `error` event. Nothing when none was sent yet. */
export function endEvents(res: ServerResponse, problem: ProblemBody): void {
  if (res.headersSent && !res.writableEnded) res.end(`event: error\ndata: ${JSON.stringify(problem)}\n\n`)
}

/** Resolves when the reply has room again or its reader left, and leaves no listener behind. */
async function drained(res: ServerResponse): Promise<void> {
  const over = new AbortController()
  const { signal } = over
  try {
    await Promise.race([once(res, 'drain', { signal }), once(res, 'close', { signal })])
  } finally {
    over.abort()
  }
}

/** Streams at the pace of the reader; a reader that leaves ends the source. */
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
