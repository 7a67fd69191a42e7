import type { Clock } from '../../lib/clock.ts'
import type { ConnectedClient, RemoteClients } from '../../resources/connected-client.ts'
import { type Entry, toWire } from './client-entry.ts'
import type { LiveLimits } from './limits.ts'
import { type Entries, remoteEntries, withRemote } from './remote-entries.ts'

export type Registry = ReturnType<typeof createRegistry>

/**
 * Lists the connected clients, and those that disconnected within the last hour. Those of this instance are only in
 * memory, because connections end with the process.
 */
export function createRegistry(
  clock: Clock,
  limits: Pick<LiveLimits, 'disconnectedTtlMs' | 'maxDisconnected'>,
  remote?: RemoteClients,
) {
  const connected = new Map<string, Entry>()
  /** In the order of disconnection. */
  const disconnected = new Map<string, Entry>()

  const share = (id: string) => {
    remote?.changed(id, () => {
      const entry = connected.get(id) ?? disconnected.get(id)
      return entry === undefined ? null : toWire(entry)
    })
  }
  const removeExpired = () => {
    const limit = clock.now().getTime() - limits.disconnectedTtlMs
    for (const [id, entry] of disconnected) {
      const isExpired = (entry.disconnectedAt?.getTime() ?? 0) <= limit
      if (!isExpired && disconnected.size <= limits.maxDisconnected) return
      disconnected.delete(id)
      share(id)
    }
  }
  const others = () => remoteEntries(remote?.list() ?? [])
  const entries = (): Entries => {
    removeExpired()
    return withRemote({ live: [...connected.values()], gone: [...disconnected.values()] }, others())
  }

  return {
    add(entry: Entry): void {
      connected.set(entry.id, entry)
    },
    /** Returns the client; undefined if it was not connected. */
    disconnect(id: string): Entry | undefined {
      const entry = connected.get(id)
      if (entry === undefined) return undefined
      connected.delete(id)
      entry.disconnectedAt = clock.now()
      disconnected.set(id, entry)
      removeExpired()
      return entry
    },
    /** Returns true if the client is connected to this instance. */
    has: (id: string): boolean => connected.has(id),
    /** Passes a change of a client of this instance to the others. */
    share,
    /** Returns the clients of all instances. Those that disconnected the latest are the last. */
    entries,
    /**
     * Returns the newest connection of an app's instance with the same account, also one that just closed.
     */
    find(instanceId: string, account: string): Entry | undefined {
      removeExpired()
      const newest = (list: Iterable<Entry>): Entry | undefined => {
        let found: Entry | undefined
        for (const entry of list)
          if (entry.identification.instanceId === instanceId && entry.account === account) found = entry
        return found
      }
      const { live, gone } = others()
      return newest(connected.values()) ?? newest(live) ?? newest(disconnected.values()) ?? newest(gone)
    },
    /** Returns the clients of all instances in the form of the API. */
    list(options: { readonly includeDisconnected: boolean }): ConnectedClient[] {
      const { live, gone } = entries()
      return (options.includeDisconnected ? [...live, ...gone] : live).map(toWire)
    },
  }
}
