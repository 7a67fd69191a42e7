import type { UsersTable } from '../../db/schema.ts'
import type { Query } from '../../db/types.ts'
import { fold } from '../../lib/text.ts'

/** What signing in needs to know of a user. */
export type Account = Pick<
  UsersTable,
  'id' | 'username' | 'password_hash' | 'password_is_default' | 'role' | 'disabled' | 'must_change_password'
>

const columns = [
  'id',
  'username',
  'password_hash',
  'password_is_default',
  'role',
  'disabled',
  'must_change_password',
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

/** Not a change of the user as people see it: `updated_at` stays. */
export async function storeLastLogin(q: Query, id: string, atMs: number): Promise<void> {
  await q.updateTable('users').set({ last_login_at: atMs }).where('id', '=', id).execute()
}

/** A password the user chose: no default any more, and nobody asks for another. */
export async function storeChosenPassword(q: Query, id: string, hash: string, atMs: number): Promise<void> {
  await q
    .updateTable('users')
    .set({ password_hash: hash, password_is_default: 0, must_change_password: 0, updated_at: atMs })
    .where('id', '=', id)
    .execute()
}
