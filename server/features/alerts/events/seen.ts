import type { Db } from '../../../db/types.ts'
import type { Context } from '../../../lib/context.ts'
import { findSeen, putSeen } from './seen.store.ts'

type Seen = { readonly until: string | null }

const toWire = (until: Date | null): Seen => ({ until: until?.toISOString() ?? null })

/** Returns the time up to which the user has seen the events. */
export const readSeen = async (db: Db, { actor }: Context): Promise<Seen> =>
  toWire(await findSeen(db.read, actor.id ?? ''))

/** Marks the events up to a time as seen, or up to now if the time is later. An earlier time changes nothing. */
export function markSeen(db: Db, { actor, now }: Context, until: string): Promise<Seen> {
  const requested = new Date(Math.min(Date.parse(until), now.getTime()))
  return db.write(async (tx) => {
    const before = await findSeen(tx.q, actor.id ?? '')
    if (before !== null && before >= requested) return toWire(before)
    await putSeen(tx.q, actor.id ?? '', requested)
    return toWire(requested)
  })
}
