import { sql } from 'kysely'
import { prepareChange, prepareQuery } from '../../db/prepared.ts'
import type { RunRollupsTable, RunsTable } from '../../db/schema/runs.ts'
import type { Query } from '../../db/types.ts'
import { type Breath, createBreath } from './breath.ts'
import { floorTo, type SpanTier, tiers } from './calendar.ts'
import { bucketOf, newCounts, readInto, writeCounts } from './histogram.ts'

/** The dimensions of statistics, in the order of slices 1 to 5. */
export const dimensions = ['source', 'provider', 'model', 'workspace', 'ref_key'] as const
export type Dimension = (typeof dimensions)[number]
export const wholeSlice = 0
export const cellSlice = 6
export const sliceOf = (dimension: Dimension): number => dimensions.indexOf(dimension) + 1

type Rollup = RunRollupsTable
type Key = Pick<Rollup, 'tier' | 'slice' | 'start' | 'status' | Dimension>
/** The columns of a run that contribute to roll-ups. */
export type RunFacts = Pick<
  RunsTable,
  | 'created_at'
  | 'status'
  | Dimension
  | 'prompt_tokens'
  | 'output_tokens'
  | 'total_tokens'
  | 'latency_us'
  | 'cost_nano'
>

export const sums = [
  'n',
  'prompt_tokens',
  'output_tokens',
  'total_tokens',
  'latency_us',
  'cost_nano',
  'cost_unknown',
] as const
const keyColumns = ['tier', 'slice', 'start', ...dimensions, 'status'] as const

const latenciesOf = prepareQuery<Key, { n: number; latencies: string }>((q, p) =>
  keyColumns.reduce(
    (query, column) => query.where(column, '=', p(column)),
    q.selectFrom('run_rollups').select(['n', 'latencies']),
  ),
)
const insert = prepareChange<Rollup>((q, p) =>
  q.insertInto('run_rollups').values({
    tier: p('tier'),
    slice: p('slice'),
    start: p('start'),
    source: p('source'),
    provider: p('provider'),
    model: p('model'),
    workspace: p('workspace'),
    ref_key: p('ref_key'),
    status: p('status'),
    n: p('n'),
    prompt_tokens: p('prompt_tokens'),
    output_tokens: p('output_tokens'),
    total_tokens: p('total_tokens'),
    latency_us: p('latency_us'),
    cost_nano: p('cost_nano'),
    cost_unknown: p('cost_unknown'),
    latencies: p('latencies'),
  }),
)
/** Adds in SQL, so that a sum beyond 2^53 is never a parameter. */
const add = prepareChange<Rollup>((q, p) => {
  const changed = Object.fromEntries(sums.map((column) => [column, sql`${sql.ref(column)} + ${p(column)}`]))
  return keyColumns.reduce(
    (query, column) => query.where(column, '=', p(column)),
    q.updateTable('run_rollups').set({ ...changed, latencies: p('latencies') }),
  )
})
const remove = prepareChange<Key>((q, p) =>
  keyColumns.reduce((query, column) => query.where(column, '=', p(column)), q.deleteFrom('run_rollups')),
)

/** Changes of roll-ups, summed by key before they are written. */
export type Deltas = Map<string, Rollup & { latencies: string }>

const largest = Number.MAX_SAFE_INTEGER
const safe = (value: number): number => Math.max(-largest, Math.min(largest, value))

const joined = (a: string, b: string): string => (a === '' ? b : b === '' ? a : `${a} ${b}`)

/**
 * Adds a change. `id` identifies the key, which is only built if it is new: this runs about twenty times per
 * run.
 */
function addTo(
  deltas: Deltas,
  id: string,
  keyOf: () => Key,
  change: Pick<Rollup, (typeof sums)[number] | 'latencies'>,
): void {
  const delta = deltas.get(id)
  if (delta === undefined) {
    deltas.set(id, { ...change, ...keyOf() })
    return
  }
  delta.n += change.n
  delta.prompt_tokens += change.prompt_tokens
  delta.output_tokens += change.output_tokens
  delta.total_tokens += change.total_tokens
  delta.latency_us += change.latency_us
  delta.cost_nano += change.cost_nano
  delta.cost_unknown += change.cost_unknown
  delta.latencies = joined(delta.latencies, change.latencies)
}

/** Adds (`sign` 1) or subtracts (−1) a run: one cell per hour and combination of dimensions. */
export function countRun(deltas: Deltas, run: RunFacts, sign: 1 | -1): void {
  const key: Key = {
    tier: tiers.pending,
    slice: cellSlice,
    start: floorTo(tiers.hour, run.created_at),
    source: run.source,
    provider: run.provider,
    model: run.model,
    workspace: run.workspace,
    ref_key: run.ref_key ?? 0,
    status: run.status,
  }
  const id = `${key.start} ${key.source} ${key.provider} ${key.model} ${key.workspace} ${key.ref_key} ${key.status}`
  addTo(deltas, id, () => key, {
    n: sign,
    prompt_tokens: sign * (run.prompt_tokens ?? 0),
    output_tokens: sign * (run.output_tokens ?? 0),
    total_tokens: sign * (run.total_tokens ?? 0),
    latency_us: sign * run.latency_us,
    cost_nano: sign * (run.cost_nano ?? 0),
    cost_unknown: run.cost_nano === null ? sign : 0,
    latencies: `${bucketOf(run.latency_us)}:${sign}`,
  })
}

/** Reused by `compact`, which is called for nearly every roll-up that is written. */
const scratch = newCounts()

/** Merges repeated buckets of a histogram. */
function compact(text: string): string {
  if (!text.includes(' ')) return text
  scratch.fill(0)
  readInto(scratch, text)
  return writeCounts(scratch)
}

const none = { source: 0, provider: 0, model: 0, workspace: 0, ref_key: 0 }

/**
 * Adds a cell to the hourly roll-ups of each dimension. Combinations have no hourly roll-ups, because they
 * are nearly as many as runs; rows are read instead.
 */
function addHours(hours: Deltas, cell: Rollup): void {
  const { start, status } = cell
  const tier = tiers.hour
  const time = `${start} ${status}`
  addTo(hours, time, () => ({ tier, slice: wholeSlice, start, ...none, status }), cell)
  for (let index = 0; index < dimensions.length; index += 1) {
    const dimension = dimensions[index] as Dimension
    const id = cell[dimension]
    const named = () => ({ tier, slice: index + 1, start, ...none, [dimension]: id, status })
    addTo(hours, `${time} ${index} ${id}`, named, cell)
  }
}

/** Adds roll-ups of one tier, or cells, to the next tier. */
function promote(from: Deltas | readonly Rollup[], into: Deltas, tier: SpanTier): void {
  for (const rollup of from.values()) {
    rollup.latencies = compact(rollup.latencies)
    const { slice, source, provider, model, workspace, ref_key, status } = rollup
    const start = floorTo(tier, rollup.start)
    const id = `${start} ${slice} ${source} ${provider} ${model} ${workspace} ${ref_key} ${status}`
    const key = () => ({ tier, slice, start, source, provider, model, workspace, ref_key, status })
    addTo(into, id, key, rollup)
  }
}

/** Writes the changes. Returns the number of new cells. */
export async function writeDeltas(q: Query, deltas: Deltas, breathe: Breath): Promise<number> {
  let added = 0
  for (const delta of deltas.values()) {
    await breathe()
    for (const column of sums) delta[column] = safe(delta[column])
    const [row] = await latenciesOf(q, delta)
    if (row === undefined) {
      delta.latencies = compact(delta.latencies)
      await insert(q, delta)
      if (delta.tier === tiers.pending) added += 1
    } else if (delta.tier !== tiers.pending && row.n + delta.n === 0) {
      // A compacted roll-up equals the sum of its rows, so without rows it is empty. A cell may contain +1
      // and −1.
      await remove(q, delta)
    } else {
      delta.latencies = compact(
        row.latencies === '' ? delta.latencies : `${row.latencies} ${delta.latencies}`,
      )
      await add(q, delta)
    }
  }
  return added
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
export async function foldCells(q: Query, limit: number): Promise<number> {
  const cells = await oldestPending(q, { limit })
  const breathe = createBreath()
  const [hours, days, months]: [Deltas, Deltas, Deltas] = [new Map(), new Map(), new Map()]
  for (const cell of cells) {
    addHours(hours, cell)
    await remove(q, cell)
    await breathe()
  }
  promote(hours, days, tiers.day)
  promote(cells, days, tiers.day)
  await breathe()
  promote(days, months, tiers.month)
  for (const deltas of [hours, days, months]) await writeDeltas(q, deltas, breathe)
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
