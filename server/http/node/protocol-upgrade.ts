import type { IncomingMessage, Server } from 'node:http'
import type { Duplex } from 'node:stream'
import { TLSSocket } from 'node:tls'

type UpgradeHandler = (req: IncomingMessage, socket: Duplex, head: Buffer) => void

/** Headers that belong to the upgrade only (RFC 7540 §3.2.1). */
const upgradeHeaders = new Set(['upgrade', 'http2-settings', 'connection'])

/** Returns true if a comma-separated header contains a token. */
const hasToken = (header: string | undefined, token: string): boolean =>
  (header ?? '').split(',').some((each) => each.trim().toLowerCase() === token)

/**
 * Accepts WebSocket upgrades and ignores all other protocol upgrades (RFC 9110 §7.8), because Java's HTTP
 * client offers h2c with each request. Node passes every request with an upgrade to this handler, before its
 * body. Such a request is parsed again without its upgrade headers.
 */
export function onUpgrade(server: Server, handle: UpgradeHandler): void {
  server.on('upgrade', (req, socket, head) => {
    if (hasToken(req.headers.upgrade, 'websocket')) handle(req, socket, head)
    else parseAgain(server, req, socket, head)
  })
}

function parseAgain(server: Server, req: IncomingMessage, socket: Duplex, head: Buffer): void {
  const lines = [`${req.method} ${req.url} HTTP/${req.httpVersion}`]
  for (let index = 0; index < req.rawHeaders.length; index += 2) {
    const name = req.rawHeaders[index] ?? ''
    if (!upgradeHeaders.has(name.toLowerCase())) lines.push(`${name}: ${req.rawHeaders[index + 1]}`)
  }
  if (hasToken(req.headers.connection, 'close')) lines.push('Connection: close')
  // Node decodes header bytes as latin1.
  const plain = Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1')
  socket.unshift(Buffer.concat([plain, head]))
  // A TLS server would wait for another handshake at `connection`.
  server.emit(socket instanceof TLSSocket ? 'secureConnection' : 'connection', socket)
}
