import { decode, encode } from 'dns-packet'
import type { DnsMessage, OpenMulticast } from '../../../server/lan/discovery/multicast.ts'

/**
 * A network of simulated interfaces: what one sends, all others of the same network receive, encoded and
 * decoded like on a wire. Nothing reaches a real network.
 */
export function multicastBus() {
  const listeners = new Map<string, Set<(message: DnsMessage) => void>>()
  const sent: Buffer[] = []
  const open: string[] = []

  const deliver = (bytes: Buffer, from?: unknown): void => {
    const { type = 'query', questions = [], answers = [], additionals = [] } = decode(bytes)
    for (const all of listeners.values())
      for (const listener of all) if (listener !== from) listener({ type, questions, answers, additionals })
  }
  const openOn: OpenMulticast = (address) => {
    const own = new Set<(message: DnsMessage) => void>()
    const key = `${address} ${open.length}`
    listeners.set(key, own)
    open.push(address)
    return {
      send(message) {
        const bytes =
          'questions' in message
            ? encode({ type: 'query', questions: message.questions })
            : encode({ type: 'response', answers: message.answers })
        sent.push(bytes)
        deliver(bytes, [...own][0])
      },
      onMessage: (listener) => void own.add(listener),
      onError: () => undefined,
      async close() {
        listeners.delete(key)
      },
    }
  }
  return {
    open: openOn,
    /** The messages that were sent, as bytes. */
    sent,
    /** Delivers a message of a foreign device to all. */
    inject: (packet: Parameters<typeof encode>[0]) => deliver(encode(packet)),
    /** The addresses on which sockets were opened. */
    opened: open,
    openSockets: () => listeners.size,
  }
}
