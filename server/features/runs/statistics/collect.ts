import type { Query } from '../../../db/types.ts'
import { countParts } from './count.read.ts'
import { type Pass, type PlannedPass, readPasses } from './parts.read.ts'
import { indexIn } from './points.ts'
import { isBehind, type ReadFacts } from './rows.read.ts'
import { type Need, planOf, restrictedColumns, rowsOf, type StatColumn, type StatsRange } from './sources.ts'
import { newSums, type Sums } from './sums.ts'

/** Sums by the names of one or more columns. */
export type Groups = Map<string, { readonly ids: readonly number[]; readonly sums: Sums }>
/** Sums of the whole, and by point of a series. */
export type Totals = { readonly total: Sums; readonly points: Sums[] }

/** A pass with the interval that its roll-ups must not exceed. */
export type Request = Pass & Need

export const keyOf = (names: readonly (number | string)[]): string =>
  // The usual case, without an array operation for each run.
  names.length === 1 ? String(names[0]) : names.join('\u0000')

/** Returns a request for the whole, and for the points of a series. */
export function requestTotals(points: readonly number[], interval: Need['interval']) {
  const totals: Totals = { total: newSums(), points: points.map(newSums) }
  const request: Request = {
    columns: [],
    interval,
    sink(part) {
      part.addTo(totals.total)
      const point = totals.points[indexIn(points, part.start)]
      if (point !== undefined) part.addTo(point)
    },
  }
  return { totals, request }
}

/** Returns a request for the sums by columns. */
export function requestGroups(columns: readonly StatColumn[]) {
  const groups: Groups = new Map()
  const request: Request = {
    columns,
    interval: null,
    sink(part, ids) {
      const key = keyOf(ids)
      let group = groups.get(key)
      if (group === undefined) {
        group = { ids, sums: newSums() }
        groups.set(key, group)
      }
      part.addTo(group.sums)
    },
  }
  return { groups, request }
}

/** Returns a request for the series of groups. `seriesOf` returns those to which a run belongs. */
export function requestSeries(
  columns: readonly StatColumn[],
  points: readonly number[],
  interval: Need['interval'],
  seriesOf: (key: string) => readonly Sums[][],
): Request {
  return {
    columns,
    interval,
    sink(part, ids) {
      const series = seriesOf(keyOf(ids))
      if (series.length === 0) return
      const index = indexIn(points, part.start)
      for (const sums of series) {
        const point = sums[index]
        if (point !== undefined) part.addTo(point)
      }
    },
  }
}

/** Returns true if the roll-ups can answer every request without the rows of the whole period. */
export async function areRolledUp(q: Query, range: StatsRange, requests: readonly Need[]): Promise<boolean> {
  const behind = await isBehind(q)
  return requests.every((request) => planOf(range, request, behind).slice !== null)
}

/**
 * Reads the requests from as few roll-ups as possible, or from rows. Either all or none are read from rows: a
 * run that is removed meanwhile is then in all figures or in none.
 */
export async function collect(
  q: Query,
  readFacts: ReadFacts,
  range: StatsRange,
  requests: readonly Request[],
  from: 'rows' | 'rollups',
): Promise<void> {
  if (range.from >= range.to) return
  const behind = from === 'rollups' && (await isBehind(q))
  const passes = requests.map(
    (request): PlannedPass => ({
      ...request,
      plan: from === 'rows' ? rowsOf(range) : planOf(range, request, behind),
    }),
  )
  await readPasses(q, readFacts, range, passes)
}

/** Returns the number of matching runs; null if only rows can be compared with the filter. */
export async function countRuns(q: Query, range: StatsRange): Promise<number | null> {
  if (restrictedColumns(range.filter) === null) return null
  const plan = planOf(range, { columns: [], interval: null }, await isBehind(q))
  return plan.slice === null ? null : countParts(q, range, plan.slice, plan.pieces)
}
