import type { AlertDeliveriesTable } from '../../../db/schema/alerts.ts'
import type { Query } from '../../../db/types.ts'
import { longestPauseMs } from './retries.ts'

export type DeliveryRow = AlertDeliveriesTable

export async function deliveriesOf(q: Query, eventIds: readonly string[]): Promise<Map<string, DeliveryRow>> {
  if (eventIds.length === 0) return new Map()
  const rows = await q.selectFrom('alert_deliveries').selectAll().where('event_id', 'in', eventIds).execute()
  return new Map(rows.map((row) => [row.event_id, row]))
}

export async function insertDelivery(q: Query, row: DeliveryRow): Promise<void> {
  await q.insertInto('alert_deliveries').values(row).execute()
}

/**
 * Returns the due deliveries, the longest due first. An attempt that is further away than the longest pause was planned
 * before the clock moved back, so it is due too.
 */
export function dueDeliveries(q: Query, nowMs: number, limit: number): Promise<DeliveryRow[]> {
  return q
    .selectFrom('alert_deliveries')
    .selectAll()
    .where('next_attempt_at', 'is not', null)
    .where((eb) =>
      eb.or([eb('next_attempt_at', '<=', nowMs), eb('next_attempt_at', '>', nowMs + longestPauseMs)]),
    )
    .orderBy('next_attempt_at')
    .limit(limit)
    .execute()
}

export async function updateDelivery(
  q: Query,
  eventId: string,
  change: Pick<DeliveryRow, 'status' | 'attempts' | 'next_attempt_at'>,
): Promise<void> {
  await q.updateTable('alert_deliveries').set(change).where('event_id', '=', eventId).execute()
}

/** Ends the deliveries of an alert that are still to be sent. */
export async function stopDeliveries(q: Query, alertId: string): Promise<void> {
  await q
    .updateTable('alert_deliveries')
    .set({ status: 'failed', next_attempt_at: null })
    .where('alert_id', '=', alertId)
    .where('status', '=', 'pending')
    .execute()
}

export async function deleteDeliveries(q: Query, eventIds: readonly string[]): Promise<void> {
  await q.deleteFrom('alert_deliveries').where('event_id', 'in', eventIds).execute()
}
