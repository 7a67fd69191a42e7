import type { Query } from '../../../db/types.ts'

/** The name of the time, in epoch milliseconds, up to which a user has seen the events. */
const keyOf = (userId: string): string => `alerts_seen.${userId}`

/** Returns the time up to which a user has seen the events; null if none. */
export async function findSeen(q: Query, userId: string): Promise<Date | null> {
  const row = await q.selectFrom('meta').select('value').where('key', '=', keyOf(userId)).executeTakeFirst()
  return row === undefined ? null : new Date(row.value)
}

export async function putSeen(q: Query, userId: string, until: Date): Promise<void> {
  const value = until.getTime()
  await q
    .insertInto('meta')
    .values({ key: keyOf(userId), value })
    .onConflict((conflict) => conflict.column('key').doUpdateSet({ value }))
    .execute()
}
