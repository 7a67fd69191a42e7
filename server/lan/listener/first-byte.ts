import type { EventEmitter } from 'node:events'
import type { Socket } from 'node:net'

/** The first byte of a TLS connection: the content type `handshake` (RFC 8446, 5.1). */
const tlsHandshake = 0x16
/** Time limit for the first byte, in milliseconds. */
const firstByteMs = 5_000

type Servers = {
  /** Receives sockets that start a TLS handshake. */
  readonly tls: EventEmitter
  /** Receives all others. */
  readonly plain: EventEmitter
}

/** Passes a connection on to the TLS server or to the server of the trust page, by its first byte. */
export function dispatchByFirstByte(socket: Socket, { tls, plain }: Servers): void {
  const timer = setTimeout(() => socket.destroy(), firstByteMs)
  const onError = () => socket.destroy()
  socket.on('error', onError)
  socket.once('close', () => clearTimeout(timer))
  socket.once('data', (bytes: Buffer) => {
    clearTimeout(timer)
    // Both servers read the byte again from the buffer of the paused socket.
    socket.pause()
    socket.unshift(bytes)
    const server = bytes[0] === tlsHandshake ? tls : plain
    server.emit('connection', socket)
    socket.off('error', onError)
    process.nextTick(() => socket.resume())
  })
}
