import { createHmac, type KeyObject } from 'node:crypto'
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
 * ends. Names contain addresses, so the database has their HMAC.
 */
export function createSharedFailures(deps: {
  readonly db: Db
  readonly clock: Clock
  readonly scope: string
  readonly windowMs: number
  readonly hashKey: KeyObject
}): FailureLog {
  const { db, clock, scope, windowMs, hashKey } = deps
  const keyOf = (name: string): ValueKey => ({
    scope,
    name: createHmac('sha256', hashKey).update(name).digest('base64url'),
  })
  const write = (work: (q: Query) => Promise<unknown>) =>
    db.write(async ({ q }) => void (await work(q)), { evenWhenFull: true })
  return {
    timesOf: (name) => timesIn(db.read, keyOf(name)),
    update: (name, change) =>
      write(async (q) => {
        const key = keyOf(name)
        const now = clock.now().getTime()
        await removeExpiredValues(q, { now })
        const value = JSON.stringify(change(await timesIn(q, key)))
        await putValue(q, { ...key, value, expiresAt: now + windowMs })
      }),
    async remove(name) {
      const key = keyOf(name)
      // Most sign-ins follow no failure, and then need no transaction.
      if ((await findValue(db.read, key)).length > 0) await write((q) => removeValue(q, key))
    },
  }
}
