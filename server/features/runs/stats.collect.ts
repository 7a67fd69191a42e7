import type { Query } from '../../db/types.ts'
import { createBreath } from './breath.ts'
import { floorTo, type Grain, isRowGrain, type Piece, piecesOf, tiers } from './calendar.ts'
import { type NameFilter, type RollupRow, readRollups } from './rollups.read.ts'
import { cellSlice, type Dimension, dimensions, sliceOf, wholeSlice } from './rollups.store.ts'
import { readFacts } from './stats.rows.ts'
import { addPart, newSums, partOf, type Sums } from './stats.sums.ts'

/** The range and the filters of statistics, as ids; times are whole milliseconds. */
export type StatsRange = {
  readonly names: NameFilter
  readonly statuses: readonly number[] | undefined
  readonly from: number
  /** Exclusive. */
  readonly to: number
}

export type Collected = {
  readonly total: Sums
  readonly by: ReadonlyMap<Dimension, ReadonlyMap<number, Sums>>
  readonly series: ReadonlyMap<number, Sums>
}

type Sink = (part: RollupRow) => void

/**
 * Reads the roll-ups that cover a range, and the rest from rows at the edges and from cells not yet
 * compacted.
 */
function createReader(q: Query, range: StatsRange) {
  const { names, statuses } = range
  const breathe = createBreath()
  return {
    async folded(pieces: readonly Piece[], slice: number, sink: Sink) {
      const restriction = slice === wholeSlice ? {} : sliceNames(slice, names)
      for (const { tier, from, to } of pieces) {
        if (tier === 'rows') continue
        for await (const rows of readRollups(q, { tier, slice, from, to, names: restriction, statuses })) {
          for (const row of rows) sink(row)
          await breathe()
        }
      }
    },
    async loose(pieces: readonly Piece[], sink: Sink) {
      const covered = pieces.filter(({ tier }) => tier !== 'rows')
      const [first] = covered
      const last = covered.at(-1)
      if (first !== undefined && last !== undefined) {
        const span = { tier: tiers.pending, slice: cellSlice, from: first.from, to: last.to, names, statuses }
        for await (const rows of readRollups(q, span)) for (const row of rows) sink(row)
      }
      for (const { tier, from, to } of pieces) {
        if (tier !== 'rows') continue
        for await (const rows of readFacts(q, { from, to, names, statuses })) {
          for (const row of rows) sink(partOf(row))
          await breathe()
        }
      }
    },
  }
}

/** Returns the filter of a slice: the slice of a dimension contains only that dimension's names. */
function sliceNames(slice: number, names: NameFilter): NameFilter {
  if (slice === cellSlice) return names
  const dimension = dimensions[slice - 1]
  const ids = dimension === undefined ? undefined : names[dimension]
  return dimension === undefined || ids === undefined ? {} : { [dimension]: ids }
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
  const reader = createReader(q, range)
  let count = 0
  const sink: Sink = ({ n }) => {
    count += n
  }
  await reader.folded(pieces, slice, sink)
  await reader.loose(pieces, sink)
  return count
}

/** Returns the sums of everything that the statistics show, from as few roll-ups as possible. */
export async function collect(
  q: Query,
  range: StatsRange,
  shown: readonly Dimension[],
  grain: Grain,
): Promise<Collected> {
  const total = newSums()
  const by = new Map(shown.map((dimension) => [dimension, new Map<number, Sums>()]))
  const series = new Map<number, Sums>()
  const sumsIn = (map: Map<number, Sums>, key: number): Sums => {
    let sums = map.get(key)
    if (sums === undefined) {
      sums = newSums()
      map.set(key, sums)
    }
    return sums
  }
  const toWhole: Sink = (part) => {
    addPart(total, part)
    addPart(sumsIn(series, floorTo(grain, part.start)), part)
  }
  const toNames =
    (which: readonly Dimension[]): Sink =>
    (part) => {
      for (const dimension of which) {
        const map = by.get(dimension)
        if (map !== undefined) addPart(sumsIn(map, part[dimension]), part)
      }
    }
  const both =
    (first: Sink, second: Sink): Sink =>
    (part) => {
      first(part)
      second(part)
    }

  const reader = createReader(q, range)
  const { from, to } = range
  const restricted = restrictedBy(range.names)
  const [only] = restricted
  if (isRowGrain(grain)) {
    await reader.loose([{ tier: 'rows', from, to }], both(toWhole, toNames(shown)))
  } else if (only === undefined) {
    const fine = piecesOf(from, to, grain, tiers.hour)
    const coarse = piecesOf(from, to, tiers.month, tiers.hour)
    await reader.folded(fine, wholeSlice, toWhole)
    for (const dimension of shown) await reader.folded(coarse, sliceOf(dimension), toNames([dimension]))
    await reader.loose(fine, both(toWhole, toNames(shown)))
  } else if (restricted.length === 1) {
    const others = shown.filter((dimension) => dimension !== only)
    const fine = piecesOf(from, to, grain, tiers.hour)
    const own = both(toWhole, toNames([only]))
    await reader.folded(fine, sliceOf(only), own)
    await reader.loose(fine, own)
    const coarse = piecesOf(from, to, tiers.month, tiers.day)
    await reader.folded(coarse, cellSlice, toNames(others))
    await reader.loose(coarse, toNames(others))
  } else {
    const everything = both(toWhole, toNames(shown))
    const pieces: Piece[] =
      grain === tiers.hour ? [{ tier: 'rows', from, to }] : piecesOf(from, to, grain, tiers.day)
    await reader.folded(pieces, cellSlice, everything)
    await reader.loose(pieces, everything)
  }
  return { total, by, series }
}
