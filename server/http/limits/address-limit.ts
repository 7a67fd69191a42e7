import type { Server } from 'node:http'
import type { Socket } from 'node:net'
import { networkOf } from '../../auth/throttle.ts'
import { fail } from '../../lib/fail.ts'
import { normalizeAddress } from '../../lib/remote-address.ts'
import { rejectConnection } from '../reject.ts'

export type AddressLimit = {
  readonly perAddress: number
  /** Returns true for loopback and trusted proxies, because they carry the connections of many clients. */
  readonly isExempt: (address: string) => boolean
  readonly onRefused: (address: string) => void
}

/** Time that a refused client has to read the reply, in milliseconds. */
const graceMs = 1000

/** Refuses connections from an address with too many. IPv6 addresses are counted by /64 prefix. */
export function limitAddresses(server: Server, limit: AddressLimit): void {
  const admit = createAddressLimit(limit, refuse)
  server.on('connection', (socket: Socket) => void admit(socket))
}

/**
 * Returns a function that counts a connection and returns true, or refuses it and returns false. By default it
 * closes a refused socket.
 */
export function createAddressLimit(
  { perAddress, isExempt, onRefused }: AddressLimit,
  rejectSocket: (socket: Socket) => void = (socket) => void socket.destroy(),
): (socket: Socket) => boolean {
  const counts = new Map<string, number>()
  /** Sockets that are counted. A connection that offered h2c emits `connection` a second time. */
  const counted = new WeakSet<Socket>()
  return (socket) => {
    const address = normalizeAddress(socket.remoteAddress ?? '')
    if (counted.has(socket) || address === '' || isExempt(address)) return true
    counted.add(socket)
    const key = networkOf(address)
    const count = counts.get(key) ?? 0
    if (count >= perAddress) {
      onRefused(address)
      rejectSocket(socket)
      return false
    }
    counts.set(key, count + 1)
    socket.once('close', () => {
      const remaining = (counts.get(key) ?? 1) - 1
      if (remaining === 0) counts.delete(key)
      else counts.set(key, remaining)
    })
    return true
  }
}

/**
 * Sends the reply and drops what the client sends. Otherwise the connection would be reset before the client
 * reads the reply.
 */
function refuse(socket: Socket): void {
  const problem = fail('rate_limited', {
    detail: 'There are too many connections from your address. Close some, or try again later.',
    retryAfter: 5,
  })
  rejectConnection(socket, problem, '', () => undefined)
  const timer = setTimeout(() => socket.destroy(), graceMs)
  socket.once('close', () => clearTimeout(timer))
}
