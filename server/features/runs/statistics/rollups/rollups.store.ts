import { sql } from 'kysely'
import { prepareChange, prepareQuery } from '../../../../db/prepared.ts'
import type { Query } from '../../../../db/types.ts'
import type { Yield } from '../../../../lib/async/yield.ts'
import { recordOf } from '../../store/columns.ts'
import {
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

/** Writes the changes. */
export async function writeDeltas(q: Query, deltas: Deltas, yieldIfDue: Yield): Promise<void> {
  const all = [...deltas.values()]
  for (let from = 0; from < all.length; from += perRoundTrip) {
    await yieldIfDue()
    const chunk = all.slice(from, from + perRoundTrip)
    for (const delta of chunk) for (const column of sumColumns) delta[column] = clamped(delta[column])
    const rows = await Promise.all(chunk.map((delta) => storedOf(q, delta)))
    await Promise.all(chunk.map((delta, index) => writeDelta(q, delta, rows[index]?.[0])))
  }
}

/** Writes one change. `row` is the stored roll-up, if there is one. */
async function writeDelta(q: Query, delta: Rollup, row: Stored | undefined): Promise<void> {
  if (row === undefined) {
    if (delta.n === 0) return
    compactHistograms(delta)
    await insert(q, delta)
  } else if (row.n + delta.n === 0) {
    // A roll-up equals the sum of its rows, so without rows it is empty.
    await remove(q, delta)
  } else {
    joinHistograms(delta, row)
    compactHistograms(delta)
    await add(q, delta)
  }
}
