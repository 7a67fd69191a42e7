import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { renderTrustPage, type TrustFacts, trustPolicy } from './page.ts'

/** Limits of plain HTTP, in milliseconds and bytes: a page without input needs little. */
const limits = {
  headersTimeout: 5_000,
  requestTimeout: 5_000,
  connectionsCheckingInterval: 1_000,
  keepAliveTimeout: 1_000,
  maxHeaderSize: 8 * 1024,
}

const commonHeaders = {
  'cache-control': 'no-store',
  'content-security-policy': trustPolicy,
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'permissions-policy': 'camera=(), geolocation=(), microphone=()',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  connection: 'close',
}

/**
 * Creates the server of plain HTTP on the LAN port. It serves one page and the certificate of the authority,
 * whatever the host and path of a request, and reads no other input.
 */
export function createTrustServer(facts: () => TrustFacts | null): Server {
  const server = createServer(limits, (req, res) => reply(req, res, facts()))
  server.on('upgrade', (_req, socket) => socket.destroy())
  server.on('connect', (_req, socket) => socket.destroy())
  server.on('clientError', (_error, socket) => {
    if (!socket.writable) socket.destroy()
    else socket.end('HTTP/1.1 400 Bad Request\r\nconnection: close\r\ncontent-length: 0\r\n\r\n')
  })
  return server
}

function reply(req: IncomingMessage, res: ServerResponse, facts: TrustFacts | null): void {
  // Nothing reads a body, and the connection ends with the reply.
  req.resume()
  if (req.method !== 'GET' && req.method !== 'HEAD') {
    send(req, res, 405, { allow: 'GET, HEAD', 'content-type': 'text/plain; charset=utf-8' }, textOf405)
    return
  }
  if (facts === null) {
    send(req, res, 503, { 'content-type': 'text/plain; charset=utf-8' }, 'The service is not shared.\n')
    return
  }
  if (req.url === '/ca.pem') {
    const headers = {
      'content-type': 'application/x-x509-ca-cert',
      'content-disposition': 'attachment; filename="promptdeck-ca.crt"',
    }
    send(req, res, 200, headers, facts.authorityPem)
    return
  }
  send(req, res, 200, { 'content-type': 'text/html; charset=utf-8' }, renderTrustPage(facts))
}

const textOf405 = 'This address only serves one page over plain HTTP. Use https.\n'

function send(
  req: IncomingMessage,
  res: ServerResponse,
  status: number,
  headers: Readonly<Record<string, string>>,
  body: string,
): void {
  res.writeHead(status, {
    ...commonHeaders,
    ...headers,
    'content-length': String(Buffer.byteLength(body)),
  })
  res.end(req.method === 'HEAD' ? undefined : body)
}
