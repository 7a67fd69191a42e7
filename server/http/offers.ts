import type { IncomingMessage, Server } from 'node:http'
import type { Duplex } from 'node:stream'

type UpgradeHandler = (req: IncomingMessage, socket: Duplex, head: Buffer) => void

/** What belongs to the offer alone (RFC 7540 §3.2.1). */
const offerHeaders = new Set(['upgrade', 'http2-settings', 'connection'])

const isWebSocket = (offers: string | undefined): boolean =>
  (offers ?? '').split(',').some((offer) => offer.trim().toLowerCase() === 'websocket')

/**
 * Takes WebSocket upgrades and ignores every other offer (RFC 9110 §7.8): Java's HTTP client offers h2c with each
 * request. Node hands over every request that offers anything, before its body; such a one is read again without its offer.
 */
export function onUpgrade(server: Server, handle: UpgradeHandler): void {
  server.on('upgrade', (req, socket, head) => {
    if (isWebSocket(req.headers.upgrade)) handle(req, socket, head)
    else readAgain(server, req, socket, head)
  })
}

function readAgain(server: Server, req: IncomingMessage, socket: Duplex, head: Buffer): void {
  const lines = [`${req.method} ${req.url} HTTP/${req.httpVersion}`]
  for (let index = 0; index < req.rawHeaders.length; index += 2) {
    const name = req.rawHeaders[index] ?? ''
    if (!offerHeaders.has(name.toLowerCase())) lines.push(`${name}: ${req.rawHeaders[index + 1]}`)
  }
  // Headers are bytes; Node reads them as latin1.
  const plain = Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1')
  socket.unshift(Buffer.concat([plain, head]))
  server.emit('connection', socket)
}
