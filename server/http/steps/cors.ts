import type { IncomingMessage } from 'node:http'
import { mcpSessionHeader } from '../../../contract/system/mcp.ts'
import type { Guard } from '../guard.ts'
import type { RequestLog } from '../metrics/request-log.ts'
import type { Step, StepResponse } from './request-state.ts'

const requestHeaders = [
  'Authorization',
  'Content-Encoding',
  'Content-Type',
  'Idempotency-Key',
  'If-Match',
  'If-None-Match',
  'Last-Event-ID',
  'Mcp-Protocol-Version',
  mcpSessionHeader,
  'Promptdeck-Instance',
  'Promptdeck-Workspace',
  'X-Request-Id',
].join(', ')

const exposedHeaders = [
  'Content-Disposition',
  'ETag',
  mcpSessionHeader,
  'RateLimit',
  'RateLimit-Policy',
  'Retry-After',
  'WWW-Authenticate',
  'X-Request-Id',
].join(', ')

/**
 * Returns the step that lets a page of an allowed origin read the reply, errors included, and that replies to
 * a CORS preflight (Fetch standard, 4.8). A preflight precedes authentication, because browsers send no
 * credentials with it.
 */
export function createCors(guard: Guard, log: RequestLog): Step {
  return (req, res, next) => {
    if (isPreflight(guard, req)) {
      replyToPreflight(req, res)
      log(req, res)
      return
    }
    const origin = guard.corsOrigin(req)
    if (origin !== null) {
      res.setHeader('access-control-allow-origin', origin)
      res.setHeader('access-control-expose-headers', exposedHeaders)
      res.setHeader('vary', 'Origin')
    }
    next()
  }
}

/** Returns false also for pages that may not call this service. The guard then refuses them. */
function isPreflight(guard: Guard, req: IncomingMessage): boolean {
  const { method, headers } = req
  return (
    method === 'OPTIONS' &&
    headers.origin !== undefined &&
    headers['access-control-request-method'] !== undefined &&
    guard.refuse(req) === null
  )
}

function replyToPreflight({ headers }: IncomingMessage, res: StepResponse): void {
  res.writeHead(204, {
    'access-control-allow-origin': headers.origin,
    'access-control-allow-methods': 'GET, HEAD, POST, PATCH, PUT, DELETE',
    'access-control-allow-headers': requestHeaders,
    'access-control-max-age': '600',
    // Chrome asks for this before a public page calls a host in a private network.
    ...(headers['access-control-request-private-network'] === 'true' && {
      'access-control-allow-private-network': 'true',
    }),
    vary: 'Origin, Access-Control-Request-Method, Access-Control-Request-Headers',
    'x-request-id': res.locals.requestId,
  })
  res.end()
}
