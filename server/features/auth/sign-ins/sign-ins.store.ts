import { network } from '../../../auth/throttle.ts'
import type { SessionsTable } from '../../../db/schema/schema.ts'
import type { SecondFactorTables } from '../../../db/schema/second-factors.ts'
import type { Query } from '../../../db/types.ts'

export type SignInPlace = SecondFactorTables['sign_in_places']

/** Maximum number of places per user. The one used longest ago is deleted first. */
const maxPlaces = 50

/** Returns the user agent without version numbers, so that an update does not make a new device of it. */
const deviceOf = (userAgent: string): string => userAgent.replace(/\d+(?:[._]\d+)*/g, '').slice(0, 256)

/** Returns the device and the network of a session. */
export const placeOf = ({ user_agent, ip }: Pick<SessionsTable, 'user_agent' | 'ip'>) => ({
  device: deviceOf(user_agent),
  network: network(ip),
})

/** Counts a sign-in for its place. The place is new if the user signed in before, but not from there. */
export async function recordSignIn(q: Query, id: string, session: SessionsTable): Promise<void> {
  const { user_id, created_at: at, ip, user_agent, method } = session
  const { device, network: net } = placeOf(session)
  const known = await q
    .updateTable('sign_in_places')
    .set((eb) => ({ last_at: at, ip, user_agent, method, count: eb('count', '+', 1) }))
    .where('user_id', '=', user_id)
    .where('device', '=', device)
    .where('network', '=', net)
    .executeTakeFirst()
  if (Number(known.numUpdatedRows) > 0) return
  const others = await placesOf(q, user_id)
  const surplus = others.slice(maxPlaces - 1).map((place) => place.id)
  if (surplus.length > 0) await q.deleteFrom('sign_in_places').where('id', 'in', surplus).execute()
  const place: SignInPlace = {
    id,
    user_id,
    device,
    network: net,
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
