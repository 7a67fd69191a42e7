import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Guard } from './guard.ts'
import { apiHeaders } from './headers.ts'

const requestHeaders = [
  'Authorization',
  'Content-Type',
  'Idempotency-Key',
  'If-Match',
  'If-None-Match',
  'Promptdeck-Instance',
  'X-Request-Id',
].join(', ')

const exposedHeaders = [
  'Content-Disposition',
  'ETag',
  'RateLimit',
  'RateLimit-Policy',
  'Retry-After',
  'WWW-Authenticate',
  'X-Request-Id',
].join(', ')

/**
 * Returns the headers that let a page of an allowed origin read a reply, errors included. Empty for other
 * origins.
 */
export function corsHeaders(guard: Guard, { headers }: IncomingMessage): Record<string, string> {
  const origin = guard.corsOrigin(headers)
  if (origin === null) return {}
  return {
    'access-control-allow-origin': origin,
    'access-control-expose-headers': exposedHeaders,
    vary: 'Origin',
  }
}

/**
 * Replies to a CORS preflight (Fetch standard, 4.8) before authentication, because browsers send no
 * credentials with it. Returns false for other requests, and for pages that may not call this service, which
 * the guard then refuses.
 */
export function answerPreflight(guard: Guard, req: IncomingMessage, res: ServerResponse, requestId: string) {
  const { origin, ...headers } = req.headers
  const isPreflight =
    req.method === 'OPTIONS' &&
    origin !== undefined &&
    headers['access-control-request-method'] !== undefined &&
    guard.refuse(req.headers) === null
  if (!isPreflight) return false
  res.writeHead(204, {
    ...apiHeaders,
    'access-control-allow-origin': origin,
    'access-control-allow-methods': 'GET, HEAD, POST, PATCH, PUT, DELETE',
    'access-control-allow-headers': requestHeaders,
    'access-control-max-age': '600',
    // Chrome asks for this before a public page calls a host in a private network.
    ...(headers['access-control-request-private-network'] === 'true' && {
      'access-control-allow-private-network': 'true',
    }),
    vary: 'Origin, Access-Control-Request-Method, Access-Control-Request-Headers',
    'x-request-id': requestId,
  })
  res.end()
  return true
}
