import type { Client } from '../../../contract/clients.ts'

/** `hasLeft`: no longer in the list, kept in its place only because someone is reading. */
export type ClientRow = Client & { readonly hasLeft?: true }

export const isGone = (client: ClientRow): boolean =>
  client.hasLeft === true || client.disconnected_at !== undefined
