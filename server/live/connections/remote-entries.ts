import type { ConnectedClient } from '../../resources/connected-client.ts'
import { type Entry, fromWire } from './client-entry.ts'

/** Clients that are connected, and those that disconnected within the last hour. */
export type Entries = { readonly live: readonly Entry[]; readonly gone: readonly Entry[] }

/** The entries of clients of other instances. A list replaces a client that changed, so each is converted once. */
const known = new WeakMap<ConnectedClient, Entry>()

function entryOf(client: ConnectedClient): Entry {
  const before = known.get(client)
  if (before !== undefined) return before
  const entry = fromWire(client)
  known.set(client, entry)
  return entry
}

/** Returns the clients of other instances. */
export function remoteEntries(clients: readonly ConnectedClient[]): Entries {
  const entries = clients.map(entryOf)
  return {
    live: entries.filter(({ disconnectedAt }) => disconnectedAt === null),
    gone: entries.filter(({ disconnectedAt }) => disconnectedAt !== null),
  }
}

/** Returns the clients of this instance and others. Those that disconnected the latest are the last. */
export function withRemote(own: Entries, others: Entries): Entries {
  if (others.live.length + others.gone.length === 0) return own
  const endOf = ({ disconnectedAt }: Entry): number => disconnectedAt?.getTime() ?? 0
  return {
    live: [...own.live, ...others.live],
    gone: [...own.gone, ...others.gone].toSorted((a, b) => endOf(a) - endOf(b)),
  }
}
