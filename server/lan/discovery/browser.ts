import type { DnsMessage, OpenMulticast } from './multicast.ts'
import { type FoundServer, serversIn, serviceType } from './records.ts'

/** Looks for servers on the local network until it is stopped. */
export type Browsing = { stop(): Promise<void> }

export type BrowseDeps = {
  readonly open: OpenMulticast
  /** The IPv4 addresses of the interfaces on which to look. */
  readonly addresses: readonly string[]
  /** Calls `run` once after `ms` milliseconds. Returns a function that cancels it. */
  readonly after: (ms: number, run: () => void) => () => void
  /** Called with all servers that are known, when they change. */
  readonly onChange: (servers: readonly FoundServer[]) => void
}

/** More servers are ignored, so that nobody can fill the memory or the list without limit. */
export const maxServers = 50
/** Times of the questions after the start, in milliseconds. */
const questionsMs = [0, 1_000, 3_000, 9_000, 27_000]

type State = BrowseDeps & {
  /** The known servers, each with a function that cancels its expiry. */
  readonly known: Map<string, { readonly server: FoundServer; readonly cancel: () => void }>
  isStopped: boolean
}

export function browse(deps: BrowseDeps): Browsing {
  const state: State = { ...deps, known: new Map(), isStopped: false }
  const sockets = deps.addresses.map((address) => deps.open(address))
  for (const socket of sockets) {
    // An interface that fails is ignored. If all fail, no server is found, and a person can enter an address.
    socket.onError(() => undefined)
    socket.onMessage((message) => receive(state, message))
  }
  const ask = () => {
    for (const socket of sockets) socket.send({ questions: [{ name: serviceType, type: 'PTR' }] })
  }
  const cancels = questionsMs.map((ms) => deps.after(ms, ask))
  return {
    async stop() {
      if (state.isStopped) return
      state.isStopped = true
      for (const cancel of cancels) cancel()
      for (const { cancel } of state.known.values()) cancel()
      await Promise.all(sockets.map((socket) => socket.close()))
    },
  }
}

function receive(state: State, message: DnsMessage): void {
  if (state.isStopped || message.type !== 'response') return
  const before = listOf(state)
  for (const { server, ttl } of serversIn(message)) {
    // Two claims of the same id are two entries: neither can displace the other.
    const key = `${server.id} ${server.address}`
    state.known.get(key)?.cancel()
    if (ttl === 0) state.known.delete(key)
    else if (state.known.has(key) || state.known.size < maxServers) {
      const cancel = state.after(ttl * 1000, () => {
        state.known.delete(key)
        state.onChange(listOf(state))
      })
      state.known.set(key, { server, cancel })
    }
  }
  const after = listOf(state)
  if (JSON.stringify(before) !== JSON.stringify(after)) state.onChange(after)
}

const listOf = ({ known }: State): readonly FoundServer[] => [...known.values()].map(({ server }) => server)
