import { sql } from 'kysely'
import { prepareChange, prepareQuery } from '../../../../db/prepared.ts'
import type { Query } from '../../../../db/types.ts'
import { createYield, type Yield } from '../../../../lib/async/yield.ts'
import { recordOf } from '../../store/columns.ts'
import { tiers } from './calendar.ts'
import {
  addHours,
  addToTier,
  cellSlice,
  compactHistograms,
  type Deltas,
  histogramColumns,
  joinHistograms,
  keyColumns,
  type Rollup,
  type RollupKey,
  type RollupMeasures,
  sumColumns,
} from './rollup.ts'

type Stored = Pick<RollupMeasures, 'n' | (typeof histogramColumns)[number]>
const storedOf = prepareQuery<RollupKey, Stored>((q, p) =>
  keyColumns.reduce(
    (query, column) => query.where(column, '=', p(column)),
    q.selectFrom('run_rollups').select(['n', ...histogramColumns]),
  ),
)
const insert = prepareChange<Rollup>((q, p) =>
  q
    .insertInto('run_rollups')
    .values(recordOf<Rollup>([...keyColumns, ...sumColumns, ...histogramColumns], p)),
)
/** Adds in SQL, so that a sum beyond 2^53 is never a parameter. */
const add = prepareChange<Rollup>((q, p) => {
  const changed = Object.fromEntries(
    sumColumns.map((column) => [column, sql`${sql.ref(column)} + ${p(column)}`]),
  )
  return keyColumns.reduce(
    (query, column) => query.where(column, '=', p(column)),
    q.updateTable('run_rollups').set({ ...changed, latencies: p('latencies'), ttfts: p('ttfts') }),
  )
})
const remove = prepareChange<RollupKey>((q, p) =>
  keyColumns.reduce((query, column) => query.where(column, '=', p(column)), q.deleteFrom('run_rollups')),
)

const maxSafe = Number.MAX_SAFE_INTEGER
const clamped = (value: number): number => Math.max(-maxSafe, Math.min(maxSafe, value))

/**
 * Number of roll-ups whose statements are sent together, so that a database on a network receives them in one
 * round trip.
 */
const perRoundTrip = 32

/** Calls `work` for the items in chunks of one round trip. Returns all results in order. */
async function inChunks<T, R>(
  items: Iterable<T>,
  yieldIfDue: Yield,
  work: (chunk: readonly T[]) => Promise<readonly R[]>,
): Promise<R[]> {
  const all = [...items]
  const results: R[] = []
  for (let from = 0; from < all.length; from += perRoundTrip) {
    await yieldIfDue()
    results.push(...(await work(all.slice(from, from + perRoundTrip))))
  }
  return results
}

/** Writes the changes. Returns the number of new cells. */
export async function writeDeltas(q: Query, deltas: Deltas, yieldIfDue: Yield): Promise<number> {
  const added = await inChunks(deltas.values(), yieldIfDue, async (chunk) => {
    for (const delta of chunk) for (const column of sumColumns) delta[column] = clamped(delta[column])
    const rows = await Promise.all(chunk.map((delta) => storedOf(q, delta)))
    return Promise.all(chunk.map((delta, index) => writeDelta(q, delta, rows[index]?.[0])))
  })
  return added.filter((isNewCell) => isNewCell).length
}

/** Writes one change. `row` is the stored roll-up, if there is one. Returns true for a new cell. */
async function writeDelta(q: Query, delta: Rollup, row: Stored | undefined): Promise<boolean> {
  if (row === undefined) {
    if (delta.n === 0 && delta.tier !== tiers.pending) return false
    compactHistograms(delta)
    await insert(q, delta)
    return delta.tier === tiers.pending
  }
  if (delta.tier !== tiers.pending && row.n + delta.n === 0) {
    // A compacted roll-up equals the sum of its rows, so without rows it is empty. A cell may contain +1 and −1.
    await remove(q, delta)
  } else {
    joinHistograms(delta, row)
    compactHistograms(delta)
    await add(q, delta)
  }
  return false
}

const oldestPending = prepareQuery<{ limit: number }, Rollup>((q, p) =>
  q
    .selectFrom('run_rollups')
    .selectAll()
    .where('tier', '=', sql.lit(tiers.pending))
    .where('slice', '=', sql.lit(cellSlice))
    .orderBy('start')
    .limit(p('limit')),
)

/** Compacts up to `limit` cells into hours, days and months. Returns their number. */
export async function compactCells(q: Query, limit: number): Promise<number> {
  const cells = await oldestPending(q, { limit })
  const yieldIfDue = createYield()
  const [hours, days, months]: [Deltas, Deltas, Deltas] = [new Map(), new Map(), new Map()]
  await inChunks(cells, yieldIfDue, (chunk) => {
    for (const cell of chunk) addHours(hours, cell)
    return Promise.all(chunk.map((cell) => remove(q, cell)))
  })
  addToTier(hours, days, tiers.day)
  addToTier(cells, days, tiers.day)
  await yieldIfDue()
  addToTier(days, months, tiers.month)
  for (const deltas of [hours, days, months]) await writeDeltas(q, deltas, yieldIfDue)
  return cells.length
}

/** Returns the number of cells not yet compacted. */
export async function countPending(q: Query): Promise<number> {
  const row = await q
    .selectFrom('run_rollups')
    .select(({ fn }) => fn.countAll<number>().as('n'))
    .where('tier', '=', tiers.pending)
    .executeTakeFirst()
  return row?.n ?? 0
}
