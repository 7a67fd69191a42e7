import type { ClientType } from '../../contract/live/clients.ts'

/** A key in an environment of a workspace. The workspace is its slug, as in the client list. */
export type KeyPlace = { readonly workspace: string; readonly env: string; readonly key: string }

/** A client that uses a key, and the newest version of it that the client acknowledged. */
export type KeyUser = {
  readonly id: string
  readonly clientType: ClientType
  readonly app: string
  readonly instanceId: string | null
  readonly username: string
  readonly remoteAddr: string
  readonly connectedAt: Date
  readonly disconnectedAt: Date | null
  readonly acked: { readonly version: string; readonly at: Date } | null
}

export type KeyUsers = {
  readonly live: readonly KeyUser[]
  /** Clients that disconnected within the last hour, newest first. */
  readonly gone: readonly KeyUser[]
  /** Live clients of this environment and workspace that reported no keys. */
  readonly silent: readonly KeyUser[]
}
