import type { FailureLog } from '../auth/failure-log.ts'
import { type Params, prepareChange, prepareQuery } from '../db/prepared.ts'
import type { Db, Query } from '../db/types.ts'
import type { Clock } from '../lib/clock.ts'

type Key = { scope: string; name: string }

const find = prepareQuery((q, p: Params<Key>) =>
  q.selectFrom('shared_values').select('value').where('scope', '=', p('scope')).where('name', '=', p('name')),
)
const put = prepareChange((q, p: Params<Key & { value: string; expiresAt: number }>) =>
  q
    .insertInto('shared_values')
    .values({ scope: p('scope'), name: p('name'), value: p('value'), expires_at: p('expiresAt') })
    .onConflict((conflict) =>
      conflict.columns(['scope', 'name']).doUpdateSet((eb) => ({
        value: eb.ref('excluded.value'),
        expires_at: eb.ref('excluded.expires_at'),
      })),
    ),
)
const removeOne = prepareChange((q, p: Params<Key>) =>
  q.deleteFrom('shared_values').where('scope', '=', p('scope')).where('name', '=', p('name')),
)
const removeExpired = prepareChange((q, p: Params<{ now: number }>) =>
  q.deleteFrom('shared_values').where('expires_at', '<=', p('now')),
)

async function timesIn(q: Query, key: Key): Promise<readonly number[]> {
  const [row] = await find(q, key)
  // `update` wrote it.
  return row === undefined ? [] : (JSON.parse(row.value) as number[])
}

/** Creates a log of failures that all instances share. It stores hashes of names and addresses for the window only. */
export function createSharedFailures(deps: {
  readonly db: Db
  readonly clock: Clock
  readonly scope: string
  readonly windowMs: number
}): FailureLog {
  const { db, clock, scope, windowMs } = deps
  const write = (work: (q: Query) => Promise<unknown>) =>
    db.write(async ({ q }) => void (await work(q)), { evenWhenFull: true })
  return {
    timesOf: (name) => timesIn(db.read, { scope, name }),
    update: (name, change) =>
      write(async (q) => {
        const now = clock.now().getTime()
        await removeExpired(q, { now })
        const value = JSON.stringify(change(await timesIn(q, { scope, name })))
        await put(q, { scope, name, value, expiresAt: now + windowMs })
      }),
    async remove(name) {
      // Most sign-ins follow no failure, and then need no transaction.
      if ((await find(db.read, { scope, name })).length > 0) await write((q) => removeOne(q, { scope, name }))
    },
  }
}
