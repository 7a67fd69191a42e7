import { type Dimension, dimensions } from '../../../db/schema/run-columns.ts'
import type { Query } from '../../../db/types.ts'
import type { NameFilter } from '../store/conditions.ts'
import { floorTo, type Grain, isRowGrain, piecesOf, type SpanTier, tiers } from './calendar.ts'
import { type Pieces, readCompacted, readUncompacted, type Sink, type StatsRange } from './parts.read.ts'
import { cellSlice, sliceOf, wholeSlice } from './rollup.ts'
import { addPart, newSums, type Sums } from './sums.ts'

export type Collected = {
  readonly total: Sums
  readonly by: ReadonlyMap<Dimension, ReadonlyMap<number, Sums>>
  readonly series: ReadonlyMap<number, Sums>
}

const restrictedBy = (names: NameFilter): Dimension[] =>
  dimensions.filter((dimension) => names[dimension] !== undefined)

/** Returns the number of matching runs. */
export async function countRuns(q: Query, range: StatsRange): Promise<number> {
  const restricted = restrictedBy(range.names)
  const [only] = restricted
  const isSingle = restricted.length <= 1
  const slice = isSingle ? (only === undefined ? wholeSlice : sliceOf(only)) : cellSlice
  const pieces = piecesOf(range.from, range.to, tiers.month, isSingle ? tiers.hour : tiers.day)
  let count = 0
  const sink: Sink = ({ n }) => {
    count += n
  }
  await readCompacted(q, range, pieces, slice, sink)
  await readUncompacted(q, range, pieces, sink)
  return count
}

/** Returns the sums of everything that the statistics show, from as few roll-ups as possible. */
export async function collect(
  q: Query,
  range: StatsRange,
  shown: readonly Dimension[],
  grain: Grain,
): Promise<Collected> {
  const sums = createCollector(shown, grain)
  const restricted = restrictedBy(range.names)
  const [only] = restricted
  if (isRowGrain(grain)) {
    const { from, to } = range
    await readUncompacted(q, range, [{ tier: 'rows', from, to }], sums.add(shown, true))
  } else if (only === undefined) await collectAll(q, range, shown, grain, sums)
  else if (restricted.length === 1) await collectOne(q, range, shown, grain, sums, only)
  else await collectCombinations(q, range, shown, grain, sums)
  return sums.collected
}

type Collector = ReturnType<typeof createCollector>

/** Collects sums of the whole, by name and by point of the series. */
function createCollector(shown: readonly Dimension[], grain: Grain) {
  const total = newSums()
  const by = new Map(shown.map((dimension) => [dimension, new Map<number, Sums>()]))
  const series = new Map<number, Sums>()
  return {
    collected: { total, by, series },
    /** Returns a sink that adds parts to the names of `breakdowns`, and to the whole if `isWhole`. */
    add(breakdowns: readonly Dimension[], isWhole: boolean): Sink {
      return (part) => {
        if (isWhole) {
          addPart(total, part)
          addPart(sumsIn(series, floorTo(grain, part.start)), part)
        }
        for (const dimension of breakdowns) {
          const map = by.get(dimension)
          if (map !== undefined) addPart(sumsIn(map, part[dimension]), part)
        }
      }
    },
  }
}

function sumsIn(map: Map<number, Sums>, key: number): Sums {
  let sums = map.get(key)
  if (sums === undefined) {
    sums = newSums()
    map.set(key, sums)
  }
  return sums
}

/** Collects without a filter: every dimension has a slice of its own. */
async function collectAll(
  q: Query,
  range: StatsRange,
  shown: readonly Dimension[],
  grain: SpanTier,
  sums: Collector,
): Promise<void> {
  const fine = piecesOf(range.from, range.to, grain, tiers.hour)
  const coarse = piecesOf(range.from, range.to, tiers.month, tiers.hour)
  await readCompacted(q, range, fine, wholeSlice, sums.add([], true))
  for (const dimension of shown)
    await readCompacted(q, range, coarse, sliceOf(dimension), sums.add([dimension], false))
  await readUncompacted(q, range, fine, sums.add(shown, true))
}

/** Collects with a filter on one dimension: its slice has the whole, combinations have the other names. */
async function collectOne(
  q: Query,
  range: StatsRange,
  shown: readonly Dimension[],
  grain: SpanTier,
  sums: Collector,
  only: Dimension,
): Promise<void> {
  const others = shown.filter((dimension) => dimension !== only)
  const fine = piecesOf(range.from, range.to, grain, tiers.hour)
  await readCompacted(q, range, fine, sliceOf(only), sums.add([only], true))
  await readUncompacted(q, range, fine, sums.add([only], true))
  const coarse = piecesOf(range.from, range.to, tiers.month, tiers.day)
  await readCompacted(q, range, coarse, cellSlice, sums.add(others, false))
  await readUncompacted(q, range, coarse, sums.add(others, false))
}

/** Collects with filters on several dimensions. Combinations have no hours, so rows are read for these. */
async function collectCombinations(
  q: Query,
  range: StatsRange,
  shown: readonly Dimension[],
  grain: SpanTier,
  sums: Collector,
): Promise<void> {
  const { from, to } = range
  const pieces: Pieces =
    grain === tiers.hour ? [{ tier: 'rows', from, to }] : piecesOf(from, to, grain, tiers.day)
  await readCompacted(q, range, pieces, cellSlice, sums.add(shown, true))
  await readUncompacted(q, range, pieces, sums.add(shown, true))
}
