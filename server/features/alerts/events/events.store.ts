import { inScope } from '../../../db/dialect/in-scope.ts'
import type { AlertEventsTable } from '../../../db/schema/alerts.ts'
import type { Query } from '../../../db/types.ts'
import type { Scope } from '../../../lib/context.ts'
import { numberKey, orders, type PagePlan, readPage, type Total, textKey } from '../../../lib/paging.ts'
import { deleteDeliveries } from '../delivery/deliveries.store.ts'

export type EventRow = AlertEventsTable

/** Number of events that are kept. */
const maxEvents = 5_000

export const eventOrder = orders({ created_at: [numberKey('created_at'), textKey('id')] })
export const eventKeys = (row: EventRow): (string | number)[] => [row.created_at, row.id]

export type EventFilters = {
  readonly alert: readonly string[] | undefined
  readonly type: readonly EventRow['type'][] | undefined
  readonly workspaceId: string | undefined
  readonly from: Date | undefined
  readonly to: Date | undefined
}

export async function listEvents(
  q: Query,
  scope: Scope,
  { alert, type, workspaceId, from, to }: EventFilters,
  plan: PagePlan,
): Promise<{ rows: EventRow[]; total: Total }> {
  let matching = q.selectFrom('alert_events').selectAll().where(inScope(scope, 'workspace_id'))
  if (alert !== undefined) matching = matching.where('alert_id', 'in', alert)
  if (type !== undefined) matching = matching.where('type', 'in', type)
  if (workspaceId !== undefined)
    matching = matching.where((eb) =>
      eb.or([eb('workspace_id', 'is', null), eb('workspace_id', '=', workspaceId)]),
    )
  if (from !== undefined) matching = matching.where('created_at', '>=', from.getTime())
  if (to !== undefined) matching = matching.where('created_at', '<', to.getTime())
  return readPage(q, matching, plan)
}

export const findEvent = (q: Query, id: string): Promise<EventRow | undefined> =>
  q.selectFrom('alert_events').selectAll().where('id', '=', id).executeTakeFirst()

/** Adds an event, and deletes the oldest ones beyond the limit with their deliveries. */
export async function insertEvent(q: Query, row: EventRow): Promise<void> {
  await q.insertInto('alert_events').values(row).execute()
  const surplus = await q
    .selectFrom('alert_events')
    .select('id')
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .limit(100)
    .offset(maxEvents)
    .execute()
  const ids = surplus.map(({ id }) => id)
  if (ids.length === 0) return
  await q.deleteFrom('alert_events').where('id', 'in', ids).execute()
  await deleteDeliveries(q, ids)
}
