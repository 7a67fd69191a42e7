import { maxKeyLength } from '../../../contract/common/fields.ts'
import type { Clock } from '../../lib/clock.ts'
import { plainText } from '../../lib/text/plain-text.ts'
import type { ConnectedClient } from '../../resources/connected-client.ts'
import type { Identification } from './identification.ts'
import type { LiveLimits } from './limits.ts'

/** Maximum number of keys, and of acknowledged versions, per client. */
const maxKeys = 1000

/** One client in the list of clients. */
export type Entry = {
  readonly id: string
  readonly connectedAt: Date
  readonly remoteAddr: string
  readonly userAgent: string
  username: string
  /** Result of `principalOf`: names are not unique among users and tokens, nor over time. */
  readonly account: string
  identification: Identification
  /** The slug of the workspace, or the client's name for it if there is none. */
  workspace: string
  /** Null: all workspaces, for a console, or one that does not exist for the client. */
  workspaceId: string | null
  lastSeenAt: Date
  disconnectedAt: Date | null
  readonly keys: Set<string>
  readonly acked: Map<string, { readonly version: string; readonly at: Date }>
}

export type Registry = ReturnType<typeof createRegistry>

/**
 * Lists the connected clients, and those that disconnected within the last hour. It is only in memory, because
 * connections end with the process.
 */
export function createRegistry(
  clock: Clock,
  limits: Pick<LiveLimits, 'disconnectedTtlMs' | 'maxDisconnected'>,
) {
  const connected = new Map<string, Entry>()
  /** In the order of disconnection. */
  const disconnected = new Map<string, Entry>()

  const removeExpired = () => {
    const limit = clock.now().getTime() - limits.disconnectedTtlMs
    for (const [id, entry] of disconnected) {
      const isExpired = (entry.disconnectedAt?.getTime() ?? 0) <= limit
      if (!isExpired && disconnected.size <= limits.maxDisconnected) return
      disconnected.delete(id)
    }
  }

  return {
    add(entry: Entry): void {
      connected.set(entry.id, entry)
    },
    disconnect(id: string): void {
      const entry = connected.get(id)
      if (entry === undefined) return
      connected.delete(id)
      entry.disconnectedAt = clock.now()
      disconnected.set(id, entry)
      removeExpired()
    },
    has: (id: string): boolean => connected.has(id),
    get size(): number {
      return connected.size
    },
    /** Returns the connected clients, and those that disconnected within the last hour, the latest last. */
    entries() {
      removeExpired()
      return { live: [...connected.values()], gone: [...disconnected.values()] }
    },
    /**
     * Returns the newest connection of an app's instance with the same account, also one that just closed.
     */
    find(instanceId: string, account: string): Entry | undefined {
      removeExpired()
      const matches = (entry: Entry) =>
        entry.identification.instanceId === instanceId && entry.account === account
      let found: Entry | undefined
      for (const entry of connected.values()) if (matches(entry)) found = entry
      if (found !== undefined) return found
      for (const entry of disconnected.values()) if (matches(entry)) found = entry
      return found
    },
    /** Returns the clients in the form of the API. */
    list(options: { readonly includeDisconnected: boolean }): ConnectedClient[] {
      removeExpired()
      const entries = options.includeDisconnected
        ? [...connected.values(), ...disconnected.values()]
        : [...connected.values()]
      return entries.map(toWire)
    },
  }
}

/** Adds keys that a client uses, up to the limit. */
export function addKeys(entry: Entry, keys: readonly string[]): void {
  for (const key of keys) if (entry.keys.size < maxKeys) entry.keys.add(plainText(key, maxKeyLength))
}

/** Stores the acknowledged version of a key. At the limit the least recently acknowledged key is removed. */
export function acknowledge(entry: Entry, key: string, version: string, at: Date): void {
  const name = plainText(key, maxKeyLength)
  const label = plainText(version, 64)
  const before = entry.acked.get(name)
  entry.acked.delete(name)
  // Acknowledging the same version again keeps the first time, which is when the client started to run it.
  entry.acked.set(name, before?.version === label ? before : { version: label, at })
  const [oldest] = entry.acked.keys()
  if (entry.acked.size > maxKeys && oldest !== undefined) entry.acked.delete(oldest)
}

function toWire(entry: Entry): ConnectedClient {
  const { identification } = entry
  return {
    id: entry.id,
    client_type: identification.clientType,
    app: identification.app,
    namespace: identification.namespace,
    remote_addr: entry.remoteAddr,
    user_agent: entry.userAgent,
    connected_at: entry.connectedAt.toISOString(),
    last_seen_at: entry.lastSeenAt.toISOString(),
    username: entry.username,
    instance_id: identification.instanceId,
    sdk_version: identification.sdkVersion,
    workspace: entry.workspace,
    workspaceId: entry.workspaceId,
    account: entry.account,
    keys: [...entry.keys],
    acked: [...entry.acked].map(([key, { version, at }]) => ({ key, version, at: at.toISOString() })),
    ...(entry.disconnectedAt !== null && { disconnected_at: entry.disconnectedAt.toISOString() }),
  }
}
