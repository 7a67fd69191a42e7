import { once } from 'node:events'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { promisify } from 'node:util'
import { constants, gzip } from 'node:zlib'
import type { ProblemBody } from '../../../contract/common/problem.ts'
import type { Download } from '../../lib/download.ts'
import type { Problem } from '../../lib/fail.ts'
import { problemBody, problemHeaders } from '../problem.ts'
import type { EventReply } from '../route.ts'
import type { StepResponse } from '../steps/request-state.ts'
import { isKnown } from './etag.ts'
import type { Yield } from './yield.ts'

const compress = promisify(gzip)
/** The request headers on which a reply depends, so that caches do not serve it to another origin. */
const vary = 'Accept-Encoding, Origin'
/** Matches `Accept-Encoding` with gzip, unless its weight is 0 (RFC 9110, 12.4.2). */
const gzipAccepted = /\bgzip\b(?!\s*;\s*q=0(?:\.0*)?\s*(?:,|$))/i
/** Bytes. A reply up to this length fits one packet, so compression saves nothing. */
const minCompressedBytes = 1400

/** Sends a reply, compressed with gzip if the client accepts it and the text is long enough. */
export async function sendText(
  req: IncomingMessage,
  res: StepResponse,
  status: number,
  contentType: string,
  text: string,
): Promise<void> {
  const length = Buffer.byteLength(text)
  const acceptsGzip =
    length > minCompressedBytes && gzipAccepted.test(String(req.headers['accept-encoding'] ?? ''))
  // A string is sent in one packet with the head; a Buffer would be sent separately.
  const body = acceptsGzip ? await compress(text, { level: constants.Z_BEST_SPEED }) : text
  if (res.destroyed) return
  res.writeHead(status, {
    'x-request-id': res.locals.requestId,
    'content-type': contentType,
    'content-length': typeof body === 'string' ? length : body.length,
    vary,
    ...(acceptsGzip && { 'content-encoding': 'gzip' }),
  })
  res.end(body)
}

export function sendJson(req: IncomingMessage, res: StepResponse, status: number, json: string) {
  return sendText(req, res, status, 'application/json; charset=utf-8', json)
}

/** Sends a reply with its ETag, or 304 if the client has that state already. */
export async function sendTagged(
  req: IncomingMessage,
  res: StepResponse,
  { status, etag, json }: { readonly status: number; readonly etag: string; readonly json: string },
): Promise<void> {
  res.setHeader('etag', etag)
  // The client may store the reply but must revalidate it, because it may change at any moment.
  res.setHeader('cache-control', 'private, no-cache')
  const isRead = req.method === 'GET' || req.method === 'HEAD'
  if (isRead && isKnown(req.headers['if-none-match'], etag)) {
    res.writeHead(304, { vary, 'x-request-id': res.locals.requestId }).end()
    return
  }
  await sendJson(req, res, status, json)
}

/** Sends an error reply. If a reply was already begun, closes the connection instead. */
export async function sendProblem(req: IncomingMessage, res: StepResponse, problem: Problem): Promise<void> {
  if (res.headersSent) {
    // A download failed in the middle. Only closing the connection can signal that.
    res.destroy(problem)
    return
  }
  const { path, requestId } = res.locals
  const body = JSON.stringify(problemBody(problem, path, requestId))
  for (const [name, value] of Object.entries(problemHeaders(problem))) res.setHeader(name, value)
  const isBodyUnread = !req.complete
  if (isBodyUnread) res.setHeader('connection', 'close')
  await sendText(req, res, problem.status, 'application/problem+json; charset=utf-8', body)
}

/**
 * Sends server-sent events (WHATWG) as fast as the client reads. The source must report its errors as `error`
 * events; if it throws, the connection is closed.
 */
export async function sendEvents(
  res: StepResponse,
  { events }: EventReply,
  yieldWrite: Yield,
): Promise<void> {
  res.writeHead(200, {
    'x-request-id': res.locals.requestId,
    'content-type': 'text/event-stream; charset=utf-8',
    'x-accel-buffering': 'no',
  })
  res.flushHeaders()
  for await (const batch of events) {
    await yieldWrite()
    if (res.destroyed || res.writableEnded) return
    const text = batch.map(({ event, data }) => `event: ${event}\ndata: ${JSON.stringify(data)}\n\n`)
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
  const controller = new AbortController()
  const { signal } = controller
  try {
    await Promise.race([once(res, 'drain', { signal }), once(res, 'close', { signal })])
  } finally {
    controller.abort()
  }
}

/** Streams a file as fast as the client reads. If the client disconnects, the source ends. */
export async function sendDownload(
  req: IncomingMessage,
  res: StepResponse,
  download: Download,
): Promise<void> {
  const chunks = req.method === 'HEAD' ? null : await download.open()
  if (res.destroyed) return
  res.writeHead(200, {
    'x-request-id': res.locals.requestId,
    'content-type': download.contentType,
    'content-disposition': `attachment; filename="${download.filename.replace(/[^\w.-]/g, '_')}"`,
  })
  if (chunks === null) {
    res.end()
    return
  }
  await pipeline(Readable.from(chunks, { objectMode: false, highWaterMark: 64 * 1024 }), res).catch(
    (error: unknown) => {
      const isDisconnected =
        error instanceof Error && 'code' in error && error.code === 'ERR_STREAM_PREMATURE_CLOSE'
      if (!isDisconnected) throw error
    },
  )
}
