import type { FailureLog } from '../auth/failure-log.ts'
import type { Db, Query } from '../db/types.ts'
import type { Clock } from '../lib/clock.ts'
import {
  findValue,
  putValue,
  removeExpiredValues,
  removeValue,
  type ValueKey,
} from './shared-values.store.ts'

async function timesIn(q: Query, key: ValueKey): Promise<readonly number[]> {
  const [row] = await findValue(q, key)
  // `update` wrote the value, so it is a list of numbers.
  return row === undefined ? [] : (JSON.parse(row.value) as number[])
}

/**
 * Creates a log of failures that all instances share. An entry expires when the window after its last failure
 * ends.
 */
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
        await removeExpiredValues(q, { now })
        const value = JSON.stringify(change(await timesIn(q, { scope, name })))
        await putValue(q, { scope, name, value, expiresAt: now + windowMs })
      }),
    async remove(name) {
      // Most sign-ins follow no failure, and then need no transaction.
      if ((await findValue(db.read, { scope, name })).length > 0)
        await write((q) => removeValue(q, { scope, name }))
    },
  }
}
