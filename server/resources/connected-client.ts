import type { Client } from '../../contract/live/clients.ts'

/** The fields of a client that its live connection contains. The omitted ones compare it with what is served. */
export type ConnectedClient = Omit<Client, 'behind' | 'missing' | 'sdk_outdated'> & {
  /** Null: of no workspace, such as a console. The API does not return it. */
  readonly workspaceId: string | null
  /** Result of `principalOf`. The API does not return it. */
  readonly account: string
}

/** The client that makes a request. */
export type RequestClient = Pick<Client, 'id' | 'app'>
