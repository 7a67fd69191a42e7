import type { Query } from '../../../db/types.ts'
import { createYield } from '../../../lib/async/yield.ts'
import type { RunFilter } from '../store/filters.ts'
import { type Span, tiers } from './rollups/calendar.ts'
import { cellSlice, type RunFacts } from './rollups/rollup.ts'
import { readRollups } from './rollups/rollups.read.ts'
import { ttftGapOf } from './rollups/singles.store.ts'
import { type ReadFacts, readPending } from './rows.read.ts'
import {
  cells,
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
  const gap = await ttftGapOf(q)
  const areTtftsComplete = gap.from >= gap.to
  for (const group of groupBy(passes, ({ plan }) => `${plan.slice?.slice} ${textOf(plan.pieces)}`))
    await readCompacted(q, range, group, areTtftsComplete)
  // Cells and rows have the names of every pass, so passes over the same times share them.
  for (const group of groupBy(passes, ({ plan }) => uncompactedOf(plan)))
    await readUncompacted(q, readFacts, range, group, areTtftsComplete)
}

const textOf = (pieces: Plan['pieces']): string =>
  pieces.map(({ tier, from, to }) => `${tier} ${from} ${to}`).join()

/** Returns a text that is equal for plans that read the same data besides compacted roll-ups. */
const uncompactedOf = ({ slice, pieces }: Plan): string => {
  const covered = coveredBy(pieces)
  const kind = slice === null ? 'none' : slice.single === null ? 'cells' : 'runs'
  return `${kind} ${covered?.from} ${covered?.to} ${textOf(pieces.filter(({ tier }) => tier === 'rows'))}`
}

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
  areTtftsComplete: boolean,
): Promise<void> {
  const { slice, pieces } = passes[0]?.plan ?? { slice: null, pieces: [] }
  if (slice === null) return
  const yieldIfDue = createYield()
  const deliver = deliverTo(passes, slice)
  const conditions = rollupConditions(filter, slice.single)
  for (const { tier, from, to } of pieces) {
    if (tier === 'rows') continue
    for await (const rows of readRollups(q, { tier, slice: slice.slice, from, to, conditions })) {
      for (const row of rows) deliver(row, rollupPart(row, { isCompacted: true, hasTtfts: areTtftsComplete }))
      await yieldIfDue()
    }
  }
}

/** Reads what is not in compacted roll-ups: cells or new runs, and the runs of pieces without roll-ups. */
async function readUncompacted(
  q: Query,
  readFacts: ReadFacts,
  { filter }: StatsRange,
  passes: readonly PlannedPass[],
  areTtftsComplete: boolean,
): Promise<void> {
  const plan = passes[0]?.plan
  if (plan === undefined) return
  const deliver = deliverTo(passes, null)
  const covered = coveredBy(plan.pieces)
  if (covered !== null && plan.slice?.single === null)
    await readCells(q, filter, covered, passes, areTtftsComplete)
  else if (covered !== null) await readRuns(readPending(q, covered, filter), deliver)
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

/** Reads the cells that are not yet in the roll-ups. */
async function readCells(
  q: Query,
  filter: RunFilter,
  covered: Span,
  passes: readonly PlannedPass[],
  areTtftsComplete: boolean,
): Promise<void> {
  const deliver = deliverTo(passes, cells)
  const conditions = rollupConditions(filter, null)
  const pending = { ...covered, tier: tiers.pending, slice: cellSlice, conditions }
  for await (const rows of readRollups(q, pending))
    for (const row of rows) deliver(row, rollupPart(row, { isCompacted: false, hasTtfts: areTtftsComplete }))
}
