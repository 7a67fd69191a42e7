import { type ExpressionBuilder, sql } from 'kysely'
import type { Membership } from '../../../contract/accounts/access.ts'
import type { User } from '../../../contract/accounts/users.ts'
import type { Schema, UsersTable } from '../../db/schema/schema.ts'
import type { Query } from '../../db/types.ts'
import type { SortKey } from '../../lib/paging.ts'
import { numberKey, orders, type PagePlan, readPage, type Total, textKey } from '../../lib/paging.ts'
import { searchWords } from '../../lib/text/search.ts'
import { hasWordPrefix } from '../../lib/text/word-prefix.ts'

export type UserRow = UsersTable
export type UserFilters = {
  readonly role?: readonly User['role'][] | undefined
  readonly disabled?: boolean | undefined
  readonly q?: string | undefined
}

/** Users who never signed in sort before all others. */
const lastLogin: SortKey = { expression: sql`coalesce(last_login_at, 0)`, type: 'number' }

export const userOrder = orders({
  username: [textKey('username_folded')],
  created_at: [numberKey('created_at'), textKey('id')],
  last_login_at: [lastLogin, textKey('id')],
})

/** Returns the values of a row for a cursor, for the sort order `sort`. */
export function userKeys(sort: string): (row: UserRow) => (string | number)[] {
  if (sort.endsWith('username')) return (row) => [row.username_folded]
  if (sort.endsWith('last_login_at')) return (row) => [row.last_login_at ?? 0, row.id]
  return (row) => [row.created_at, row.id]
}

export async function listUsers(
  q: Query,
  filters: UserFilters,
  plan: PagePlan,
): Promise<{ rows: UserRow[]; total: Total }> {
  let matching = q.selectFrom('users').selectAll()
  if (filters.role !== undefined) matching = matching.where('role', 'in', filters.role)
  if (filters.disabled !== undefined) matching = matching.where('disabled', '=', filters.disabled ? 1 : 0)
  for (const word of searchWords(filters.q ?? '')) {
    matching = matching.where(hasWordPrefix(sql.ref('username_folded'), word))
  }
  return readPage(q, matching, plan)
}

export function findUserById(q: Query, id: string): Promise<UserRow | undefined> {
  return q.selectFrom('users').selectAll().where('id', '=', id).executeTakeFirst()
}

export function findUserByFolded(q: Query, folded: string): Promise<UserRow | undefined> {
  return q.selectFrom('users').selectAll().where('username_folded', '=', folded).executeTakeFirst()
}

export async function hasUsers(q: Query): Promise<boolean> {
  return (await q.selectFrom('users').select('id').limit(1).executeTakeFirst()) !== undefined
}

export async function insertUser(q: Query, row: UserRow): Promise<void> {
  await q.insertInto('users').values(row).execute()
}

export async function updateUser(q: Query, id: string, changes: Partial<Omit<UserRow, 'id'>>): Promise<void> {
  await q.updateTable('users').set(changes).where('id', '=', id).execute()
}

export async function deleteUser(q: Query, id: string): Promise<void> {
  await q.deleteFrom('users').where('id', '=', id).execute()
}

/** Returns true if another active admin than `id` exists. */
export async function hasOtherActiveAdmin(q: Query, id: string): Promise<boolean> {
  const isOtherActiveAdmin = (eb: ExpressionBuilder<Schema, 'users'>) =>
    eb.and([eb('role', '=', 'admin'), eb('disabled', '=', 0), eb('id', '!=', id)])
  const row = await q.selectFrom('users').select('id').where(isOtherActiveAdmin).limit(1).executeTakeFirst()
  return row !== undefined
}

export function toWire(row: UserRow, memberships: readonly Membership[]): User {
  return {
    id: row.id,
    username: row.username,
    role: row.role,
    access: row.access,
    memberships: [...memberships],
    disabled: row.disabled === 1,
    must_change_password: row.must_change_password === 1,
    second_factor: row.second_factor === 1,
    last_login_at: row.last_login_at === null ? null : new Date(row.last_login_at).toISOString(),
    created_at: new Date(row.created_at).toISOString(),
    updated_at: new Date(row.updated_at).toISOString(),
  }
}
