import type { Db } from '../../db/types.ts'
import { contextOf, initialFieldsOf } from './intent.ts'
import { intentsAfter, takeIntent } from './intents.store.ts'
import type { RecordCall } from './record.ts'

const batchSize = 200

/**
 * Turns each intent of an earlier process into an `interrupted` run at the time the call began. One
 * transaction replaces the intent with the run, so a crash leaves the rest for the next start. The duration
 * of such a call is unknown: its latency is 0, and its tokens and cost are unknown.
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
    const intents = await intentsAfter(db.read, after, batchSize)
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
