import { type Expression, type SqlBool, sql } from 'kysely'
import { dimensions } from '../../../../db/schema/run-columns.ts'
import type { Query } from '../../../../db/types.ts'
import { histogramColumns, type RollupRow, sumColumns } from './rollup.ts'

export type RollupRange = {
  readonly tier: number
  readonly slice: number
  readonly from: number
  readonly to: number
  readonly conditions: readonly Expression<SqlBool>[]
}

/** Maximum number of rows that one statement returns. Takes about 10 ms. */
const rowsPerRead = 3000
/** Maximum number of rows that one statement with conditions examines. Takes about 10 ms. */
const rowsPerWindow = 20_000

const keyColumns = ['start', ...dimensions, 'value', 'status'] as const
const keyList = sql.join(keyColumns.map((column) => sql.ref(column)))
type KeyRow = Pick<RollupRow, (typeof keyColumns)[number]>
const keyOf = (row: KeyRow) => sql.join(keyColumns.map((column) => row[column]))

/** Yields the roll-ups of a slice that start in `[from, to)`, in chunks of a few thousand rows. */
export async function* readRollups(q: Query, range: RollupRange): AsyncGenerator<RollupRow[]> {
  const { conditions } = range
  let after: KeyRow | undefined
  for (;;) {
    const base = rollupsAfter(q, range, after)
    const { rows, end } = conditions.length === 0 ? await readChunk(base) : await readWindow(base, conditions)
    if (rows.length > 0) yield rows
    if (end === undefined) return
    after = end
  }
}

/** Returns the number of runs in the roll-ups of a slice that start in `[from, to)`. */
export async function countRollups(q: Query, range: RollupRange): Promise<number> {
  let count = 0
  let after: KeyRow | undefined
  do {
    const base = rollupsAfter(q, range, after)
    const end: KeyRow | undefined = await endOfWindow(base)
    const [row] = await withConditions(base, end, range.conditions)
      .clearOrderBy()
      .select(({ fn }) => fn.coalesce(fn.sum<number>('n'), sql.lit(0)).as('n'))
      .execute()
    count += row?.n ?? 0
    after = end
  } while (after !== undefined)
  return count
}

/** Yields the histograms of the roll-ups of a slice that start in `[from, to)`, with bounded statements. */
export async function* readHistograms(
  q: Query,
  range: RollupRange,
  column: (typeof histogramColumns)[number],
): AsyncGenerator<string[]> {
  let after: KeyRow | undefined
  do {
    const base = rollupsAfter(q, range, after)
    const end: KeyRow | undefined = await endOfWindow(base)
    const rows = await withConditions(base, end, range.conditions).clearOrderBy().select(column).execute()
    yield rows.map((row) => row[column])
    after = end
  } while (after !== undefined)
}

/** Returns the roll-ups after a position, in order. */
function rollupsAfter(q: Query, range: RollupRange, after: KeyRow | undefined) {
  let base = q
    .selectFrom('run_rollups')
    .where('tier', '=', range.tier)
    .where('slice', '=', range.slice)
    .where('start', '>=', after?.start ?? range.from)
    .where('start', '<', range.to)
  if (after !== undefined) base = base.where(sql<SqlBool>`(${keyList}) > (${keyOf(after)})`)
  for (const column of keyColumns) base = base.orderBy(column)
  return base
}

type Rollups = ReturnType<typeof rollupsAfter>
/** Roll-ups, and the position after which more follow. */
type Chunk = { readonly rows: RollupRow[]; readonly end: KeyRow | undefined }
const columns = [...keyColumns, ...sumColumns, ...histogramColumns] as const

async function readChunk(rollups: Rollups): Promise<Chunk> {
  const rows = await rollups.select(columns).limit(rowsPerRead).execute()
  return { rows, end: rows.length < rowsPerRead ? undefined : rows.at(-1) }
}

/** Reads the matching roll-ups of the next window. */
async function readWindow(rollups: Rollups, conditions: readonly Expression<SqlBool>[]): Promise<Chunk> {
  const end = await endOfWindow(rollups)
  return { rows: await withConditions(rollups, end, conditions).select(columns).execute(), end }
}

/**
 * Returns the position at which the next window ends; undefined if it has all the rest. With conditions a limit does
 * not bound the examined rows, so the end of the window is determined first.
 */
async function endOfWindow(rollups: Rollups): Promise<KeyRow | undefined> {
  const [end] = await rollups.select(keyColumns).limit(1).offset(rowsPerWindow).execute()
  return end
}

function withConditions(
  rollups: Rollups,
  end: KeyRow | undefined,
  conditions: readonly Expression<SqlBool>[],
): Rollups {
  const bounded = end === undefined ? rollups : rollups.where(sql<SqlBool>`(${keyList}) <= (${keyOf(end)})`)
  return conditions.reduce((query, condition) => query.where(condition), bounded)
}
