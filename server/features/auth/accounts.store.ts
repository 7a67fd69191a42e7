import type { UsersTable } from '../../db/schema/schema.ts'
import type { Query } from '../../db/types.ts'
import { fold } from '../../lib/text/search.ts'

/** The columns of a user that sign-in needs. */
export type Account = Pick<
  UsersTable,
  | 'id'
  | 'username'
  | 'password_hash'
  | 'password_is_default'
  | 'role'
  | 'disabled'
  | 'must_change_password'
  | 'second_factor'
>

const columns = [
  'id',
  'username',
  'password_hash',
  'password_is_default',
  'role',
  'disabled',
  'must_change_password',
  'second_factor',
] as const

export function findAccountByName(q: Query, username: string): Promise<Account | undefined> {
  return q
    .selectFrom('users')
    .select(columns)
    .where('username_folded', '=', fold(username))
    .executeTakeFirst()
}

export function findAccount(q: Query, id: string): Promise<Account | undefined> {
  return q.selectFrom('users').select(columns).where('id', '=', id).executeTakeFirst()
}

/** Stores the time of a sign-in. `updated_at` does not change, because no visible field of the user does. */
export async function storeLastLogin(q: Query, id: string, atMs: number): Promise<void> {
  await q.updateTable('users').set({ last_login_at: atMs }).where('id', '=', id).execute()
}

/** Stores a password that the user chose: it is not the default, and no change is required. */
export async function storeChosenPassword(q: Query, id: string, hash: string, atMs: number): Promise<void> {
  await q
    .updateTable('users')
    .set({ password_hash: hash, password_is_default: 0, must_change_password: 0, updated_at: atMs })
    .where('id', '=', id)
    .execute()
}

/** Stores a password that the user must change, and enables the user. */
export async function storeTemporaryPassword(
  q: Query,
  id: string,
  hash: string,
  atMs: number,
): Promise<void> {
  await q
    .updateTable('users')
    .set({
      password_hash: hash,
      password_is_default: 0,
      must_change_password: 1,
      disabled: 0,
      updated_at: atMs,
    })
    .where('id', '=', id)
    .execute()
}
