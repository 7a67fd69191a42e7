import type { SecondFactorTables } from '../../../db/schema/second-factors.ts'
import type { Query } from '../../../db/types.ts'

export type PasskeyRow = SecondFactorTables['passkeys']

export function passkeysOf(q: Query, userId: string): Promise<PasskeyRow[]> {
  return q
    .selectFrom('passkeys')
    .selectAll()
    .where('user_id', '=', userId)
    .orderBy('created_at')
    .orderBy('id')
    .execute()
}

export function findPasskey(q: Query, id: string, userId: string): Promise<PasskeyRow | undefined> {
  return q
    .selectFrom('passkeys')
    .selectAll()
    .where('id', '=', id)
    .where('user_id', '=', userId)
    .executeTakeFirst()
}

export function findPasskeyByCredential(q: Query, credentialId: string): Promise<PasskeyRow | undefined> {
  return q.selectFrom('passkeys').selectAll().where('credential_id', '=', credentialId).executeTakeFirst()
}

export async function insertPasskey(q: Query, row: PasskeyRow): Promise<void> {
  await q.insertInto('passkeys').values(row).execute()
}

export async function renamePasskey(q: Query, id: string, name: string): Promise<void> {
  await q.updateTable('passkeys').set({ name }).where('id', '=', id).execute()
}

/** Stores a use. Returns false if the counter changed since `before` was read: the same reply was sent twice. */
export async function storePasskeyUse(
  q: Query,
  before: Pick<PasskeyRow, 'id' | 'counter'>,
  counter: number,
  atMs: number,
): Promise<boolean> {
  const result = await q
    .updateTable('passkeys')
    .set({ counter, last_used_at: atMs })
    .where('id', '=', before.id)
    .where('counter', '=', before.counter)
    .executeTakeFirst()
  return Number(result.numUpdatedRows) > 0
}

export async function deletePasskey(q: Query, id: string): Promise<void> {
  await q.deleteFrom('passkeys').where('id', '=', id).execute()
}

/** Deletes the passkeys of a user. Returns their number. */
export async function deletePasskeysOf(q: Query, userId: string): Promise<number> {
  const result = await q.deleteFrom('passkeys').where('user_id', '=', userId).executeTakeFirst()
  return Number(result.numDeletedRows)
}
