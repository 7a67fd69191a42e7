import type { DeviceKind } from '../../../contract/accounts/devices.ts'

export type DevicesTable = {
  id: string
  name: string
  /** NFKC and lower case, for sorting and search. */
  name_folded: string
  kind: DeviceKind
  /** SHA-256 of the device token, hexadecimal. Null for a device with an API token. */
  hash: string | null
  /** The API token of an `sdk` or `cli`. */
  token_id: string | null
  /** The user it was paired for. Null if its API token has no owner. */
  user_id: string | null
  address: string
  user_agent: string
  last_seen_at: number
  expires_at: number
  approved_by: string
  created_at: number
}
