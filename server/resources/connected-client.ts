import type { Client } from '../../contract/live/clients.ts'

/** The fields of a client that its live connection contains. The omitted ones compare it with what is served. */
export type ConnectedClient = Omit<Client, 'behind' | 'missing' | 'sdk_outdated'> & {
  /** Null: of no workspace, such as a console. The API does not return it. */
  readonly workspaceId: string | null
  /** Result of `principalOf`. The API does not return it. */
  readonly account: string
}

/** The clients that are connected to other instances of the service. */
export type RemoteClients = {
  /** Returns them, and those that disconnected within the last hour. */
  list(): readonly ConnectedClient[]
  /**
   * Passes a change of a client of this instance to the others, within a second or two. `read` returns the client as it
   * is then; null when it is no longer listed.
   */
  changed(id: string, read: () => ConnectedClient | null): void
}

/** The client that makes a request. */
export type RequestClient = Pick<Client, 'id' | 'app'>
