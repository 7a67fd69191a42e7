import type { SessionsTable } from '../../../db/schema/schema.ts'
import type { SecondFactorTables } from '../../../db/schema/second-factors.ts'
import type { Query } from '../../../db/types.ts'

export type SignInPlace = SecondFactorTables['sign_in_places']

/** A device and a network, as `placeOf` returns them. */
export type Place = Pick<SignInPlace, 'device' | 'network'>

/** Maximum number of places per user. The one used longest ago is deleted first. */
const maxPlaces = 50

/** Counts a sign-in for its place. The place is new if the user signed in before, but not from there. */
export async function recordSignIn(
  q: Query,
  id: string,
  session: SessionsTable,
  { device, network }: Place,
): Promise<void> {
  const { user_id, created_at: at, ip, user_agent, method } = session
  const known = await q
    .updateTable('sign_in_places')
    .set((eb) => ({ last_at: at, ip, user_agent, method, count: eb('count', '+', 1) }))
    .where('user_id', '=', user_id)
    .where('device', '=', device)
    .where('network', '=', network)
    .executeTakeFirst()
  if (Number(known.numUpdatedRows) > 0) return
  const others = await placesOf(q, user_id)
  const surplus = others.slice(maxPlaces - 1).map((place) => place.id)
  if (surplus.length > 0) await q.deleteFrom('sign_in_places').where('id', 'in', surplus).execute()
  const place: SignInPlace = {
    id,
    user_id,
    device,
    network,
    ip,
    user_agent,
    method,
    is_new: others.length > 0 ? 1 : 0,
    count: 1,
    first_at: at,
    last_at: at,
  }
  await q.insertInto('sign_in_places').values(place).execute()
}

/** Returns the places of a user, the latest sign-in first. */
export function placesOf(q: Query, userId: string): Promise<SignInPlace[]> {
  return q
    .selectFrom('sign_in_places')
    .selectAll()
    .where('user_id', '=', userId)
    .orderBy('last_at', 'desc')
    .orderBy('id', 'desc')
    .execute()
}
