import type { Client } from '../../../contract/live/clients.ts'

/**
 * A client of the list. `isRemoved`: it is no longer in the list, and its row stays only while updates are
 * paused.
 */
export type ClientRow = Client & { readonly isRemoved?: true }

export const isDisconnected = (client: ClientRow): boolean =>
  client.isRemoved === true || client.disconnected_at !== undefined
