import type { Tx } from '../../../db/types.ts'
import type { Context } from '../../../lib/context.ts'
import type { RuleRow } from '../rules/rules.store.ts'
import { linkAt } from './link.ts'
import { type EventDeps, writeEvent } from './write-event.ts'

/** Adds the event of a firing alert that ends without a measurement. */
export async function writeResolved(
  deps: EventDeps,
  tx: Tx,
  { now }: Context,
  row: RuleRow,
  resolution: 'disabled' | 'deleted',
): Promise<void> {
  const link = await linkAt(tx.q, row, now)
  const isDelivered = resolution !== 'deleted'
  await writeEvent(deps, tx, row, { type: 'resolved', value: null, resolution, link, at: now, isDelivered })
}
