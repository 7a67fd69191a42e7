import { type Expression, type SqlBool, sql } from 'kysely'
import type { RunRollupsTable } from '../../db/schema/runs.ts'
import type { Query } from '../../db/types.ts'
import { type Dimension, dimensions, sums } from './rollups.store.ts'

export type RollupRow = Omit<RunRollupsTable, 'tier' | 'slice'>
/** The ids of names to include, by dimension. An absent dimension is not restricted. */
export type NameFilter = Partial<Record<Dimension, readonly number[]>>

export type RollupRange = {
  readonly tier: number
  readonly slice: number
  readonly from: number
  readonly to: number
  readonly names: NameFilter
  /** 0: ok, 1: error; absent: both. */
  readonly statuses: readonly number[] | undefined
}

/** Rows that one statement returns and examines at most: about 10 ms each. */
const rowsPerRead = 3000
const rowsPerWindow = 20_000

const keyColumns = ['start', ...dimensions, 'status'] as const
const keyList = sql.join(keyColumns.map((column) => sql.ref(column)))
type KeyRow = Pick<RollupRow, (typeof keyColumns)[number]>
const keyOf = (row: KeyRow) => sql.join(keyColumns.map((column) => row[column]))

/** Yields the roll-ups of a slice that start in `[from, to)`, in chunks of a few thousand rows. */
export async function* readRollups(q: Query, range: RollupRange): AsyncGenerator<RollupRow[]> {
  const conditions = conditionsOf(range.names, range.statuses)
  let after: KeyRow | undefined
  for (;;) {
    let base = q
      .selectFrom('run_rollups')
      .where('tier', '=', range.tier)
      .where('slice', '=', range.slice)
      .where('start', '>=', after?.start ?? range.from)
      .where('start', '<', range.to)
    if (after !== undefined) base = base.where(sql<SqlBool>`(${keyList}) > (${keyOf(after)})`)
    for (const column of keyColumns) base = base.orderBy(column)

    if (conditions.length === 0) {
      const rows = await base
        .select([...keyColumns, ...sums, 'latencies'])
        .limit(rowsPerRead)
        .execute()
      if (rows.length > 0) yield rows
      after = rows.at(-1)
      if (rows.length < rowsPerRead) return
      continue
    }
    // With conditions a limit does not bound the examined rows, so the end of the window is determined first.
    const [end] = await base.select(keyColumns).limit(1).offset(rowsPerWindow).execute()
    let matching = base.select([...keyColumns, ...sums, 'latencies'])
    if (end !== undefined) matching = matching.where(sql<SqlBool>`(${keyList}) <= (${keyOf(end)})`)
    for (const condition of conditions) matching = matching.where(condition)
    const rows = await matching.execute()
    if (rows.length > 0) yield rows
    if (end === undefined) return
    after = end
  }
}

/** Returns SQL conditions. A leading `+` keeps SQLite on the index of the sort order. */
export function conditionsOf(names: NameFilter, statuses?: readonly number[]): Expression<SqlBool>[] {
  const conditions: Expression<SqlBool>[] = []
  for (const dimension of dimensions) {
    const ids = names[dimension]
    if (ids !== undefined) conditions.push(sql<SqlBool>`+${sql.ref(dimension)} in (${listOf(ids)})`)
  }
  if (statuses !== undefined) conditions.push(sql<SqlBool>`+${sql.ref('status')} in (${listOf(statuses)})`)
  return conditions
}

/** Returns ids as SQL literals: they are internal integers, and SQLite limits parameters to 32,766. */
export const listOf = (ids: readonly number[]) => sql.raw(ids.map((id) => Math.trunc(id)).join(','))
