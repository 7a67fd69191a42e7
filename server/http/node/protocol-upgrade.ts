import type { IncomingMessage, Server } from 'node:http'
import type { Duplex } from 'node:stream'
import { TLSSocket } from 'node:tls'

type UpgradeHandler = (req: IncomingMessage, socket: Duplex, head: Buffer) => void

/** Headers that belong to the upgrade only (RFC 7540 §3.2.1). */
const upgradeHeaders = new Set(['upgrade', 'http2-settings', 'connection'])

const isWebSocket = (protocols: string | undefined): boolean =>
  (protocols ?? '').split(',').some((protocol) => protocol.trim().toLowerCase() === 'websocket')

/**
 * Accepts WebSocket upgrades and ignores all other protocol upgrades (RFC 9110 §7.8), because Java's HTTP
 * client offers h2c with each request. Node passes every request with an upgrade to this handler, before its
 * body. Such a request is parsed again without its upgrade headers.
 */
export function onUpgrade(server: Server, handle: UpgradeHandler): void {
  server.on('upgrade', (req, socket, head) => {
    if (isWebSocket(req.headers.upgrade)) handle(req, socket, head)
    else parseAgain(server, req, socket, head)
  })
}

function parseAgain(server: Server, req: IncomingMessage, socket: Duplex, head: Buffer): void {
  const lines = [`${req.method} ${req.url} HTTP/${req.httpVersion}`]
  for (let index = 0; index < req.rawHeaders.length; index += 2) {
    const name = req.rawHeaders[index] ?? ''
    if (!upgradeHeaders.has(name.toLowerCase())) lines.push(`${name}: ${req.rawHeaders[index + 1]}`)
  }
  // Node decodes header bytes as latin1.
  const plain = Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1')
  socket.unshift(Buffer.concat([plain, head]))
  // A TLS server would wait for another handshake at `connection`.
  server.emit(socket instanceof TLSSocket ? 'secureConnection' : 'connection', socket)
}
