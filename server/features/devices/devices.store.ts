import { sql } from 'kysely'
import type { DeviceKind } from '../../../contract/accounts/devices.ts'
import type { DeviceRow } from '../../auth/devices/devices.store.ts'
import type { Query } from '../../db/types.ts'
import { numberKey, orders, type PagePlan, readPage, type Total, textKey } from '../../lib/paging.ts'
import { searchWords } from '../../lib/text/search.ts'
import { hasWordPrefix } from '../../lib/text/word-prefix.ts'

export const deviceOrder = orders({
  name: [textKey('name_folded'), textKey('id')],
  last_seen_at: [numberKey('last_seen_at'), textKey('id')],
  created_at: [numberKey('created_at'), textKey('id')],
})

/** Returns the values of a row for a cursor, for the sort order `sort`. */
export function deviceKeys(sort: string): (row: ListedDevice) => (string | number)[] {
  if (sort.endsWith('name')) return (row) => [row.name_folded, row.id]
  if (sort.endsWith('last_seen_at')) return (row) => [row.last_seen_at, row.id]
  return (row) => [row.created_at, row.id]
}

/** A device with its user's name and the last use of its API token. */
export type ListedDevice = DeviceRow & {
  readonly username: string | null
  readonly token_used_at: number | null
}

export type DeviceFilters = {
  readonly q?: string | undefined
  readonly kind?: readonly DeviceKind[] | undefined
  readonly state?: 'active' | 'expired' | undefined
  /** Only the devices of this user. */
  readonly userId: string | null
  readonly nowMs: number
}

const listed = (q: Query) =>
  q
    .selectFrom('devices')
    .selectAll()
    .select((eb) => [
      eb.selectFrom('users').select('username').whereRef('users.id', '=', 'devices.user_id').as('username'),
      eb
        .selectFrom('api_tokens')
        .select('last_used_at')
        .whereRef('api_tokens.id', '=', 'devices.token_id')
        .as('token_used_at'),
    ])

export async function listDevices(
  q: Query,
  filters: DeviceFilters,
  plan: PagePlan,
): Promise<{ rows: ListedDevice[]; total: Total }> {
  let matching = listed(q)
  if (filters.userId !== null) matching = matching.where('user_id', '=', filters.userId)
  if (filters.kind !== undefined) matching = matching.where('kind', 'in', filters.kind)
  if (filters.state !== undefined)
    matching = matching.where('expires_at', filters.state === 'active' ? '>' : '<=', filters.nowMs)
  for (const word of searchWords(filters.q ?? ''))
    matching = matching.where(hasWordPrefix(sql.ref('name_folded'), word))
  return readPage(q, matching, plan)
}

export function findListedDevice(q: Query, id: string): Promise<ListedDevice | undefined> {
  return listed(q).where('id', '=', id).executeTakeFirst()
}

export async function renameDevice(q: Query, id: string, name: string, folded: string): Promise<void> {
  await q.updateTable('devices').set({ name, name_folded: folded }).where('id', '=', id).execute()
}
