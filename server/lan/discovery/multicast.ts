import multicastDns, { type QueryOutgoingPacket, type ResponseOutgoingPacket } from 'multicast-dns'

/** A record of DNS as `multicast-dns` reads and writes it. */
export type DnsRecord = ResponseOutgoingPacket['answers'][number]
export type DnsQuestion = QueryOutgoingPacket['questions'][number]

/** A received message. It comes from anyone on the network. */
export type DnsMessage = {
  readonly type: 'query' | 'response'
  readonly questions: readonly DnsQuestion[]
  readonly answers: readonly DnsRecord[]
  readonly additionals: readonly DnsRecord[]
}

/** Multicast DNS on one network interface (RFC 6762). */
export type Multicast = {
  send(message: { readonly questions: DnsQuestion[] } | { readonly answers: DnsRecord[] }): void
  onMessage(listener: (message: DnsMessage) => void): void
  /** Called if the socket cannot be used. */
  onError(listener: (error: Error) => void): void
  /** Resolves when everything is sent and the socket is closed. */
  close(): Promise<void>
}

/** Opens multicast DNS on the interface with this IPv4 address. Tests pass a substitute. */
export type OpenMulticast = (address: string) => Multicast

type ReceivedPacket = {
  readonly type: DnsMessage['type']
  readonly questions?: readonly DnsQuestion[] | undefined
  readonly answers?: readonly DnsRecord[] | undefined
  readonly additionals?: readonly DnsRecord[] | undefined
}

export const systemMulticast: OpenMulticast = (address) => {
  // A socket that is bound to the address of an interface receives no multicast on Linux.
  const socket = multicastDns({ interface: address, bind: '0.0.0.0', reuseAddr: true })
  // Ignored: a message that cannot be decoded, and an interface that was removed.
  socket.on('warning', () => undefined)
  let sending = Promise.resolve()
  return {
    send(message) {
      const sent = new Promise<void>((resolve) => {
        if ('questions' in message) socket.query(message, () => resolve())
        else socket.respond(message, () => resolve())
      })
      sending = Promise.all([sending, sent]).then(() => undefined)
    },
    onMessage(listener) {
      const receive = ({ type, questions = [], answers = [], additionals = [] }: ReceivedPacket) =>
        listener({ type, questions, answers, additionals })
      socket.on('query', receive)
      socket.on('response', receive)
    },
    onError: (listener) => void socket.on('error', listener),
    async close() {
      await sending
      await new Promise<void>((resolve) => socket.destroy(() => resolve()))
    },
  }
}
