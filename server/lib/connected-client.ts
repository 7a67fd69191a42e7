import type { Client } from '../../contract/clients.ts'

/** What the live connection knows of a client; how that stands to what is served, others know. */
export type ConnectedClient = Omit<Client, 'behind' | 'missing' | 'sdk_outdated'>
