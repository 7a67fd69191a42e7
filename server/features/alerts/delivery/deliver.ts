import { z } from 'zod'
import { DeliveryAttempt } from '../../../../contract/alerts/alert-events.ts'
import type { Db, Tx } from '../../../db/types.ts'
import { findRule, type RuleRow } from '../rules/rules.store.ts'
import { type DeliveryRow, dueDeliveries, updateDelivery } from './deliveries.store.ts'
import { pauseAfter } from './retries.ts'
import { type SendDeps, send } from './send.ts'

/** Number of deliveries that are read at once, and number of requests at the same time. */
const batchSize = 20
const maxConcurrent = 4

export type DeliverDeps = SendDeps & {
  readonly db: Db
  /** Announces in a transaction that an alert, or its history, changed. */
  readonly announce: (tx: Tx, rule: Pick<RuleRow, 'id' | 'workspace_id'>) => Promise<void>
  readonly onError: (error: unknown) => void
}

export const attemptsOf = ({ attempts }: DeliveryRow): DeliveryAttempt[] =>
  z.array(DeliveryAttempt).parse(JSON.parse(attempts))

/**
 * Sends the deliveries that are due, each once. An attempt is stored when it ends; one that the end of the
 * process interrupts is made again, so a receiver may get an event twice.
 */
export async function deliverDue(deps: DeliverDeps, signal: AbortSignal): Promise<void> {
  const due = await dueDeliveries(deps.db.read, deps.clock.now().getTime(), batchSize)
  const queue = [...due]
  const work = async () => {
    for (let row = queue.shift(); row !== undefined && !signal.aborted; row = queue.shift()) {
      await deliver(deps, row, signal).catch(deps.onError)
    }
  }
  await Promise.all(Array.from({ length: Math.min(maxConcurrent, due.length) }, work))
}

async function deliver(deps: DeliverDeps, row: DeliveryRow, signal: AbortSignal): Promise<void> {
  const { db, clock } = deps
  const rule = await findRule(db.read, row.alert_id)
  if (rule === undefined || rule.webhook_url === null) {
    await store(deps, row, { status: 'failed', attempts: row.attempts, next_attempt_at: null })
    return
  }
  const attempt = await send(deps, rule, row.body, signal)
  if (attempt === null) return
  const attempts = [...attemptsOf(row), attempt]
  const pause = attempt.error === null ? null : pauseAfter(attempts.length)
  await store(deps, row, {
    status: attempt.error === null ? 'delivered' : pause === null ? 'failed' : 'pending',
    attempts: JSON.stringify(attempts),
    next_attempt_at: pause === null ? null : clock.now().getTime() + pause,
  })
}

async function store(
  { db, announce }: DeliverDeps,
  row: DeliveryRow,
  change: Parameters<typeof updateDelivery>[2],
): Promise<void> {
  await db.write(
    async (tx) => {
      await updateDelivery(tx.q, row.event_id, change)
      const rule = await findRule(tx.q, row.alert_id)
      await announce(tx, { id: row.alert_id, workspace_id: rule?.workspace_id ?? null })
    },
    { evenWhenFull: true },
  )
}
