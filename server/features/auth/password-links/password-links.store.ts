import type { SecondFactorTables } from '../../../db/schema/second-factors.ts'
import type { Query } from '../../../db/types.ts'

export type PasswordLinkRow = SecondFactorTables['password_links']

export function findPasswordLink(q: Query, hash: string): Promise<PasswordLinkRow | undefined> {
  return q.selectFrom('password_links').selectAll().where('hash', '=', hash).executeTakeFirst()
}

/** Stores a link, and deletes those of the user that ended before `keepSinceMs`. */
export async function insertPasswordLink(q: Query, row: PasswordLinkRow, keepSinceMs: number): Promise<void> {
  await q
    .deleteFrom('password_links')
    .where('user_id', '=', row.user_id)
    .where('expires_at', '<', keepSinceMs)
    .execute()
  await q.insertInto('password_links').values(row).execute()
}

/** Returns false if a link was used or has expired. One that was ended expires at its creation, independent of the clock. */
export const isUsable = ({ used_at, created_at, expires_at }: PasswordLinkRow, nowMs: number): boolean =>
  used_at === null && expires_at > Math.max(nowMs, created_at)

/** Marks a link as used. Returns false if it was used before, or has expired. */
export async function consumePasswordLink(q: Query, hash: string, nowMs: number): Promise<boolean> {
  const result = await q
    .updateTable('password_links')
    .set({ used_at: nowMs })
    .where('hash', '=', hash)
    .where('used_at', 'is', null)
    .where('expires_at', '>', nowMs)
    .whereRef('expires_at', '>', 'created_at')
    .executeTakeFirst()
  return Number(result.numUpdatedRows) > 0
}
