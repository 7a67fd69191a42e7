import type { ClientType } from '../../contract/clients.ts'

/** A key in an environment of a workspace, which is named by its slug, as clients are listed. */
export type KeyPlace = { readonly workspace: string; readonly env: string; readonly key: string }

/** A client that uses a key, and the newest version of it that it acknowledged. */
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
  /** Left within the hour, the last one first. */
  readonly gone: readonly KeyUser[]
  /** Live clients there that told no key at all. */
  readonly silent: readonly KeyUser[]
}
