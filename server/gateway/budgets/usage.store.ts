import { sql } from 'kysely'
import { type Params, prepareChange, prepareQuery } from '../../db/prepared.ts'
import type { BudgetMinutesTable, BudgetNoticesTable, BudgetUsageTable } from '../../db/schema/budgets.ts'
import type { Query } from '../../db/types.ts'

/** Adds in SQL, because the row may have changed in another instance. */
export const addUsage = prepareChange((q, p: Params<BudgetUsageTable>) =>
  q
    .insertInto('budget_usage')
    .values({ owner: p('owner'), day: p('day'), tokens: p('tokens'), cost_nano: p('cost_nano') })
    .onConflict((conflict) =>
      conflict.columns(['owner', 'day']).doUpdateSet({
        tokens: sql<number>`${sql.ref('budget_usage.tokens')} + ${sql.ref('excluded.tokens')}`,
        cost_nano: sql<number>`${sql.ref('budget_usage.cost_nano')} + ${sql.ref('excluded.cost_nano')}`,
      }),
    ),
)

const usageSince = prepareQuery<{ owner: string; day: string }, BudgetUsageTable>((q, p) =>
  q.selectFrom('budget_usage').selectAll().where('owner', '=', p('owner')).where('day', '>=', p('day')),
)

/** Returns the use of each day from `day` on. */
export const usageFrom = (q: Query, owner: string, day: string): Promise<BudgetUsageTable[]> =>
  usageSince(q, { owner, day })

/** True while the counted minute is that of the call, or the next one. */
const isCurrent = sql<boolean>`${sql.ref('budget_minutes.minute')} - ${sql.ref('excluded.minute')} between 0 and 1`

/**
 * Counts a call in its minute; in the next one if that has begun. Otherwise calls of two instances whose clocks differ by
 * a moment would reset the count again and again.
 */
export const countRequest = prepareChange((q, p: Params<Omit<BudgetMinutesTable, 'requests'>>) =>
  q
    .insertInto('budget_minutes')
    .values({ owner: p('owner'), minute: p('minute'), requests: sql.lit(1) })
    .onConflict((conflict) =>
      conflict.column('owner').doUpdateSet({
        requests: sql<number>`case when ${isCurrent} then ${sql.ref('budget_minutes.requests')} + 1 else 1 end`,
        minute: sql<number>`case when ${isCurrent} then ${sql.ref('budget_minutes.minute')}
          else ${sql.ref('excluded.minute')} end`,
      }),
    ),
)

const minuteOf = prepareQuery<{ owner: string }, BudgetMinutesTable>((q, p) =>
  q.selectFrom('budget_minutes').selectAll().where('owner', '=', p('owner')),
)

/** Returns the number of calls in a minute; in the next one if that has begun. */
export async function requestsIn(q: Query, owner: string, minute: number): Promise<number> {
  const [row] = await minuteOf(q, { owner })
  return row?.minute === minute || row?.minute === minute + 1 ? row.requests : 0
}

/** Stores a notice. Returns false if it was already stored. */
export async function storeNotice(q: Query, notice: BudgetNoticesTable): Promise<boolean> {
  const { numInsertedOrUpdatedRows: rows } = await q
    .insertInto('budget_notices')
    .values(notice)
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirstOrThrow()
  return rows !== undefined && rows > 0n
}

/** Deletes what belongs to days before `day`. */
export async function removeUsageBefore(q: Query, day: string): Promise<void> {
  await q.deleteFrom('budget_usage').where('day', '<', day).execute()
  await q.deleteFrom('budget_notices').where('period', '<', day).execute()
}
