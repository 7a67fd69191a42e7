import type { Query } from '../db/types.ts'

/**
 * Ends the unused password links of a user. Call it in every transaction that stores a new password or other rights.
 */
export async function endPasswordLinks(q: Query, userId: string): Promise<void> {
  await q
    .updateTable('password_links')
    // Not the current time: a request that uses the link may have begun earlier.
    .set(({ ref }) => ({ expires_at: ref('created_at') }))
    .where('user_id', '=', userId)
    .where('used_at', 'is', null)
    .execute()
}
