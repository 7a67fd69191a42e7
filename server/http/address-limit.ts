import type { Server } from 'node:http'
import type { Socket } from 'node:net'
import { network } from '../auth/throttle.ts'
import { fail } from '../lib/fail.ts'
import { normaliseAddress } from '../lib/remote-address.ts'
import { refuseConnection } from './refuse.ts'

export type AddressLimit = {
  readonly perAddress: number
  /** Returns true for loopback and trusted proxies, which carry the connections of many. */
  readonly isExempt: (address: string) => boolean
  readonly onRefused: (address: string) => void
}

/** How long a refused peer has to read why. */
const graceMs = 1000

/** Refuses connections of an address that holds too many. An IPv6 host counts with its /64. */
export function limitAddresses(server: Server, { perAddress, isExempt, onRefused }: AddressLimit): void {
  const counts = new Map<string, number>()
  /** A connection that offered h2c is announced a second time. */
  const known = new WeakSet<Socket>()
  server.on('connection', (socket: Socket) => {
    const address = normaliseAddress(socket.remoteAddress ?? '')
    if (known.has(socket) || address === '' || isExempt(address)) return
    known.add(socket)
    const key = network(address)
    const count = counts.get(key) ?? 0
    if (count >= perAddress) {
      onRefused(address)
      refuse(socket)
      return
    }
    counts.set(key, count + 1)
    socket.once('close', () => {
      const left = (counts.get(key) ?? 1) - 1
      if (left === 0) counts.delete(key)
      else counts.set(key, left)
    })
  })
}

/** What the peer sends is dropped, or its end would reset the connection before the reply was read. */
function refuse(socket: Socket): void {
  const problem = fail('rate_limited', {
    detail: 'There are too many connections from your address already. Close some, or try again later.',
    retryAfter: 5,
  })
  refuseConnection(socket, problem, '', () => undefined)
  const timer = setTimeout(() => socket.destroy(), graceMs)
  socket.once('close', () => clearTimeout(timer))
}
