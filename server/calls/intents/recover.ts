import type { Db } from '../../db/types.ts'
import { contextOf, initialFieldsOf } from './intent.ts'
import { intentsAfter, takeIntent } from './intents.store.ts'
import type { RecordCall } from './record.ts'

const batchSize = 200

/**
 * Turns each intent of a process that ended into an `interrupted` run at the time the call began. One
 * transaction replaces the intent with the run, so a crash leaves the rest for the next start. The duration
 * of such a call is unknown: its latency is 0, and its tokens and cost are unknown. Returns the number of runs.
 */
export async function recoverCalls(deps: {
  readonly db: Db
  readonly record: RecordCall
  readonly now: () => Date
  /** The instances that ended; null for all. */
  readonly instanceIds: readonly string[] | null
}): Promise<number> {
  const { db, record, now, instanceIds } = deps
  let recovered = 0
  let after = ''
  for (;;) {
    const intents = await intentsAfter(db.read, after, { instanceIds, limit: batchSize })
    // Concurrent calls share one transaction (group commit).
    const runs = await Promise.all(
      intents.map((intent) =>
        record(
          contextOf(intent, now()),
          {
            ...initialFieldsOf(intent),
            latency_ms: 0,
            status: 'error',
            error: 'interrupted: The service stopped during the call',
            error_type: 'interrupted',
            capture: null,
            redacted: null,
          },
          ({ q }) => takeIntent(q, intent.id),
        ),
      ),
    )
    recovered += runs.filter((run) => run !== null).length
    const last = intents.at(-1)
    if (last === undefined || intents.length < batchSize) return recovered
    after = last.id
  }
}
