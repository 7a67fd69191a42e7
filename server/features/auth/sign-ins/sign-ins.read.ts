import type { SignIn } from '../../../../contract/accounts/sign-ins.ts'
import { openSessionsOf } from '../../../auth/sessions/sessions.store.ts'
import type { Db } from '../../../db/types.ts'
import type { Context } from '../../../lib/context.ts'
import { dayMs } from '../../../lib/durations.ts'
import { signedInUser } from '../signed-in.ts'
import { placeOf } from './place.ts'
import { placesOf } from './sign-ins.store.ts'

/** Time for which a place counts as new, in milliseconds. */
const newMs = 7 * dayMs

export type SignIns = { list(ctx: Context): Promise<{ data: SignIn[]; total: number; next_cursor: null }> }

/** Lists the devices and addresses from which the caller signed in. */
export function createSignIns({ db }: { readonly db: Db }): SignIns {
  return {
    async list(ctx) {
      const { userId, sessionId } = signedInUser(ctx)
      const nowMs = ctx.now.getTime()
      const session = (await openSessionsOf(db.read, userId, nowMs)).find(({ id }) => id === sessionId)
      const current = session && placeOf(session)
      const data = (await placesOf(db.read, userId)).map((place) => ({
        id: place.id,
        ip: place.ip,
        user_agent: place.user_agent,
        method: place.method,
        count: place.count,
        first_at: new Date(place.first_at).toISOString(),
        last_at: new Date(place.last_at).toISOString(),
        is_new: place.is_new === 1 && place.first_at > nowMs - newMs,
        current: place.device === current?.device && place.network === current.network,
      }))
      return { data, total: data.length, next_cursor: null }
    },
  }
}
