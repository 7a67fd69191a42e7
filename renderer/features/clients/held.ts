import type { Client } from '../../../contract/clients.ts'

/**
 * A client of the list. `hasLeft`: it is no longer in the list, and its row stays only while updates are
 * paused.
 */
export type ClientRow = Client & { readonly hasLeft?: true }

/** Returns true if the client has disconnected. */
export const isGone = (client: ClientRow): boolean =>
  client.hasLeft === true || client.disconnected_at !== undefined
