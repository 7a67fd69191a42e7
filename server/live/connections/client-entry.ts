import { maxKeyLength } from '../../../contract/common/fields.ts'
import { plainText } from '../../lib/text/plain-text.ts'
import type { ConnectedClient } from '../../resources/connected-client.ts'
import type { Identification } from './identification.ts'

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

/** Returns a client in the form of the API. */
export function toWire(entry: Entry): ConnectedClient {
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

/** Returns the client of another instance. */
export const fromWire = (client: ConnectedClient): Entry => ({
  id: client.id,
  connectedAt: new Date(client.connected_at),
  remoteAddr: client.remote_addr,
  userAgent: client.user_agent,
  username: client.username,
  account: client.account,
  identification: {
    clientType: client.client_type,
    app: client.app,
    namespace: client.namespace,
    workspace: client.workspace,
    instanceId: client.instance_id,
    sdkVersion: client.sdk_version,
    warnings: [],
  },
  workspace: client.workspace,
  workspaceId: client.workspaceId,
  lastSeenAt: new Date(client.last_seen_at),
  disconnectedAt: client.disconnected_at === undefined ? null : new Date(client.disconnected_at),
  keys: new Set(client.keys),
  acked: new Map(client.acked.map(({ key, version, at }) => [key, { version, at: new Date(at) }])),
})
