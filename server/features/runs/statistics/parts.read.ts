import type { Query } from '../../../db/types.ts'
import { createYield } from '../../../lib/async/yield.ts'
import { areTtftsComplete, type Counted, countedRuns } from './rollups/counted-runs.store.ts'
import type { RunFacts } from './rollups/rollup.ts'
import { readRollups } from './rollups/rollups.read.ts'
import { type ReadFacts, readPending } from './rows.read.ts'
import {
  coveredBy,
  type Plan,
  rollupConditions,
  type Slice,
  type StatColumn,
  type StatsRange,
} from './sources.ts'
import { type Part, rollupPart, runPart } from './sums.ts'

/** Receives roll-ups and runs. `ids` are the ids of the names in the columns of the pass; 0: no name. */
export type Sink = (part: Part, ids: readonly number[]) => void
/** One grouping of the matching runs, read by a plan. */
export type Pass = { readonly columns: readonly StatColumn[]; readonly sink: Sink }
export type PlannedPass = Pass & { readonly plan: Plan }

/** Reads all passes. Data that several of them need is read once. */
export async function readPasses(
  q: Query,
  readFacts: ReadFacts,
  range: StatsRange,
  passes: readonly PlannedPass[],
): Promise<void> {
  const counted = await countedRuns(q)
  for (const group of groupBy(passes, ({ plan }) => `${plan.slice?.slice} ${textOf(plan.pieces)}`))
    await readCompacted(q, range, group, areTtftsComplete(counted))
  // Rows have the names of every pass, so passes over the same times share them.
  for (const group of groupBy(passes, ({ plan }) => uncompactedOf(plan, counted)))
    await readUncompacted(q, readFacts, range, group, counted)
}

const textOf = (pieces: Plan['pieces']): string =>
  pieces.map(({ tier, from, to }) => `${tier} ${from} ${to}`).join()

/** Returns a text that is equal for plans that read the same data besides compacted roll-ups. */
const uncompactedOf = ({ slice, pieces }: Plan, counted: Counted): string => {
  const covered = coveredBy(pieces)
  const last = slice === null ? 'none' : lastIn(slice, counted)
  return `${last} ${covered?.from} ${covered?.to} ${textOf(pieces.filter(({ tier }) => tier === 'rows'))}`
}

/** Returns the highest id of a run in the roll-ups of a slice. */
const lastIn = ({ single }: Slice, { base, singles }: Counted): number => (single === null ? base : singles)

function groupBy(passes: readonly PlannedPass[], keyOf: (pass: PlannedPass) => string): PlannedPass[][] {
  const groups = new Map<string, PlannedPass[]>()
  for (const pass of passes) {
    const key = keyOf(pass)
    const group = groups.get(key)
    if (group === undefined) groups.set(key, [pass])
    else group.push(pass)
  }
  return [...groups.values()]
}

/** Returns a function that passes a row to the sinks. `slice` is null for rows of the log. */
function deliverTo(passes: readonly Pass[], slice: Slice | null) {
  const targets = passes.map(({ columns, sink }) => ({
    sink,
    names: columns.map((column) => (slice !== null && column === slice.single ? 'value' : column)),
  }))
  return (row: Readonly<Record<string, unknown>>, part: Part) => {
    // Every named column contains an id, or null in rows of the log.
    for (const { sink, names } of targets)
      sink(
        part,
        names.map((name) => (row[name] as number | null) ?? 0),
      )
  }
}

async function readCompacted(
  q: Query,
  { filter }: StatsRange,
  passes: readonly PlannedPass[],
  hasTtfts: boolean,
): Promise<void> {
  const { slice, pieces } = passes[0]?.plan ?? { slice: null, pieces: [] }
  if (slice === null) return
  const yieldIfDue = createYield()
  const deliver = deliverTo(passes, slice)
  const conditions = rollupConditions(filter, slice.single)
  for (const { tier, from, to } of pieces) {
    if (tier === 'rows') continue
    for await (const rows of readRollups(q, { tier, slice: slice.slice, from, to, conditions })) {
      for (const row of rows) deliver(row, rollupPart(row, hasTtfts))
      await yieldIfDue()
    }
  }
}

/** Reads what is not in roll-ups: new runs, and the runs of pieces without roll-ups. */
async function readUncompacted(
  q: Query,
  readFacts: ReadFacts,
  { filter }: StatsRange,
  passes: readonly PlannedPass[],
  counted: Counted,
): Promise<void> {
  const plan = passes[0]?.plan
  if (plan === undefined) return
  const deliver = deliverTo(passes, null)
  const covered = coveredBy(plan.pieces)
  if (covered !== null && plan.slice !== null)
    await readRuns(readPending(q, covered, filter, lastIn(plan.slice, counted)), deliver)
  for (const piece of plan.pieces) {
    if (piece.tier !== 'rows') continue
    await readRuns(readFacts(piece, filter), deliver)
  }
}

async function readRuns(
  chunks: AsyncIterable<RunFacts[]>,
  deliver: ReturnType<typeof deliverTo>,
): Promise<void> {
  const yieldIfDue = createYield()
  for await (const runs of chunks) {
    for (const run of runs) deliver(run, runPart(run))
    await yieldIfDue()
  }
}
