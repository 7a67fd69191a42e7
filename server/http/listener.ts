import type { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'

const lanSockets = new WeakSet<Socket>()

/** Marks a TLS socket that the LAN listener accepted. */
export function markLan(socket: Socket): void {
  lanSockets.add(socket)
}

/** Returns true if the LAN listener received the request. Nothing else decides this. */
export const isLan = ({ socket }: Pick<IncomingMessage, 'socket'>): boolean => lanSockets.has(socket)
