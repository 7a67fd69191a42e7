import type { Query } from '../db/types.ts'

/** Ends the unused password links of a user. Call it in every transaction that stores a new password. */
export async function endPasswordLinks(q: Query, userId: string, nowMs: number): Promise<void> {
  await q
    .updateTable('password_links')
    .set({ expires_at: nowMs })
    .where('user_id', '=', userId)
    .where('used_at', 'is', null)
    .where('expires_at', '>', nowMs)
    .execute()
}
