/** Prepared replies that a counterpart sends instead of computing them. */
import type { AddressInfo, Server } from 'node:net'

export type Reply = { readonly path: string; readonly body: string }
export type Replies = { readonly reads: readonly Reply[]; readonly writes: readonly Reply[] }
type Message = { readonly replies: Replies; readonly id: number }

const isMessage = (message: unknown): message is Message =>
  typeof message === 'object' && message !== null && 'replies' in message

/** Calls `use` with the replies that the measurement sends, and confirms them. */
export function onReplies(use: (replies: Replies) => void): void {
  process.on('message', (message) => {
    if (!isMessage(message)) return
    use(message.replies)
    process.send?.({ id: message.id, value: null })
  })
}

/** Prints the address of a server that listens on loopback. */
export function announce(server: Server): void {
  // A server that listens on a port has such an address.
  const { port } = server.address() as AddressInfo
  process.stdout.write(`listening on http://127.0.0.1:${port}\n`)
}

process.on('SIGTERM', () => process.exit(0))
