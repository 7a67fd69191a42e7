import type { Db } from '../db/types.ts'
import { contextOf, knownBy } from './intent.ts'
import { intentsAfter, takeIntent } from './intents.store.ts'
import type { RecordCall } from './record.ts'

const perRound = 200

/**
 * Each call that a service before this one began and never ended becomes one `interrupted` run, at the time it began.
 * Intent and run change places in one transaction, so a service that dies here finds the rest at its next start.
 * How long such a call took nobody knows: its latency is 0, its tokens and cost are unknown.
 */
export async function recoverCalls(deps: {
  readonly db: Db
  readonly record: RecordCall
  readonly now: () => Date
}): Promise<number> {
  const { db, record, now } = deps
  let recovered = 0
  let after = ''
  for (;;) {
    const left = await intentsAfter(db.read, after, perRound)
    // Together: they share a transaction.
    const runs = await Promise.all(
      left.map((intent) =>
        record(
          contextOf(intent, now()),
          {
            ...knownBy(intent),
            latency_ms: 0,
            status: 'error',
            error: 'interrupted: The service ended while the call was under way',
            error_type: 'interrupted',
            capture: null,
            redacted: null,
          },
          ({ q }) => takeIntent(q, intent.id),
        ),
      ),
    )
    recovered += runs.filter((run) => run !== null).length
    const last = left.at(-1)
    if (last === undefined || left.length < perRound) return recovered
    after = last.id
  }
}
