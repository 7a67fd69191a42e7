import { maxSeriesGroups, type RunStats } from '../../../../contract/runs/run-stats.ts'
import type { Db } from '../../../db/types.ts'
import type { NameLookup } from '../store/forms.ts'
import type { NameDictionary } from '../store/names.store.ts'
import { collect, type Groups, type Request, requestGroups, requestSeries, requestTotals } from './collect.ts'
import {
  columnsOf,
  idsIn,
  keyOfNames,
  type NamedGroup,
  type NamedGroups,
  namedGroupsOf,
  namesOfGroup,
  sortGroups,
  sumOf,
  tagSetsIn,
  wireGroup,
} from './groups.ts'
import type { StatsQuery } from './period.ts'
import type { Interval } from './points.ts'
import {
  type Listed,
  listedColumns,
  noNames,
  seriesOf,
  statsOf,
  type TopNamesByList,
  topNamesOf,
} from './reply.ts'
import type { ReadFacts } from './rows.read.ts'
import type { Need, StatColumn, StatsRange } from './sources.ts'
import { countOf, type Figures, figuresOf, newSums, type Sums } from './sums.ts'

/** The points of the series, and from what the statistics are read. */
export type Series = {
  readonly interval: Interval
  readonly tier: Need['interval']
  readonly tz: string
  readonly points: readonly number[]
  readonly isRounded: boolean
  readonly from: 'rows' | 'rollups'
}

type Deps = { readonly db: Db; readonly names: NameDictionary; readonly readFacts: ReadFacts }
type Range = StatsRange | null

/** Number of groups, if the request has none. */
const defaultLimit = 20
const listNames = Object.keys(listedColumns) as readonly Listed[]

/** Reads the statistics. `range` is null if no run can match. */
export async function readReply(
  deps: Deps,
  query: StatsQuery,
  range: Range,
  series: Series,
  compared: Compared | null,
): Promise<RunStats> {
  const { totals, request } = requestTotals(series.points, series.tier)
  const { group_by: dimensions } = query
  const lists = dimensions === undefined ? listNames : []
  const listed = lists.map((name) => ({ name, ...requestGroups(listedColumns[name]) }))
  const columns = columnsOf(dimensions ?? [])
  const grouped = dimensions === undefined ? null : requestGroups(columns)
  const requests = [request, ...listed.map((list) => list.request), ...(grouped ? [grouped.request] : [])]
  await read(deps, range, requests, series.from)

  const top: TopNamesByList = {
    ...noNames,
    ...Object.fromEntries(listed.map(({ name, groups }) => [name, topNamesOf(name, groups)])),
  }
  const ids = Object.values(top).flatMap((names) => names.flatMap((name) => name.ids))
  const nameOf = await loadNames(deps, ids)
  return {
    ...statsOf(totals, series.points, top, nameOf),
    ...(grouped &&
      (await readGroups(deps, query, range, series, { columns, groups: grouped.groups, compared }))),
    ...(compared && { previous: previousOf(compared, compared.total) }),
    ...(compared?.series && { previous_series: compared.series }),
    interval: series.interval,
    tz: series.tz,
    rounded: series.isRounded,
  }
}

async function read(deps: Deps, range: Range, requests: Request[], from: Series['from']): Promise<void> {
  if (range !== null) await collect(deps.db.read, deps.readFacts, range, requests, from)
}

const loadNames = ({ db, names }: Deps, ids: readonly number[]): Promise<NameLookup> =>
  names.loadTexts(
    db.read,
    ids.filter((id) => id !== 0),
  )

type GroupReply = Pick<RunStats, 'groups' | 'group_count' | 'other'>

/** Returns the groups of the reply: the first ones in the requested order, and the sum of the others. */
async function readGroups(
  deps: Deps,
  query: StatsQuery,
  range: Range,
  series: Series,
  {
    columns,
    groups,
    compared,
  }: { readonly columns: readonly StatColumn[]; readonly groups: Groups; readonly compared: Compared | null },
): Promise<GroupReply> {
  const tagsOf = await loadNames(deps, tagSetsIn(columns, groups))
  const sorted = sortGroups(namedGroupsOf(columns, groups, tagsOf), query.sort ?? '-count')
  const limit = query.limit ?? defaultLimit
  const shown = sorted.slice(0, limit)
  const nameOf = await loadNames(deps, idsIn(columns, shown))
  const seriesByKey =
    query.series_of === 'groups' ? await readSeries(deps, range, series, columns, shown, tagsOf) : null
  return {
    groups: shown.map((group) => {
      const points = seriesByKey?.get(group.key)
      const previous = previousOf(compared, compared?.groups.get(group.key)?.sums)
      return wireGroup(columns, group, nameOf, previous, points && seriesOf(series.points, points))
    }),
    group_count: sorted.length,
    other: sumOf(sorted.slice(limit)),
  }
}

/** Reads the series of the first groups. */
async function readSeries(
  deps: Deps,
  range: Range,
  { points, tier, from }: Series,
  columns: readonly StatColumn[],
  shown: readonly (NamedGroup & { readonly key: string })[],
  tagsOf: NameLookup,
): Promise<ReadonlyMap<string, Sums[]>> {
  const byKey = new Map(shown.slice(0, maxSeriesGroups).map(({ key }) => [key, points.map(newSums)]))
  const found = new Map<string, readonly Sums[][]>()
  const request = requestSeries(columns, points, tier, (ids) => {
    const known = found.get(ids)
    if (known !== undefined) return known
    const names = namesOfGroup(columns, ids.split('\u0000').map(Number), tagsOf)
    const series = names.flatMap((group) => {
      const sums = byKey.get(keyOfNames(group))
      return sums === undefined ? [] : [sums]
    })
    found.set(ids, series)
    return series
  })
  await read(deps, range, [request], from)
  return byKey
}

/** The figures of the period to compare with. */
export type Compared = {
  readonly total: Sums
  readonly groups: NamedGroups
  readonly series: RunStats['series'] | null
}

/** Reads the figures of a period to compare with. `series` is null if only its total is requested. */
export async function readCompared(
  deps: Deps,
  { group_by: dimensions }: StatsQuery,
  range: Range,
  { series, from }: { readonly series: Series | null; readonly from: Series['from'] },
): Promise<Compared> {
  const columns = columnsOf(dimensions ?? [])
  const { totals, request } = requestTotals(series?.points ?? [], series?.tier ?? null)
  const grouped = requestGroups(columns)
  await read(deps, range, dimensions === undefined ? [request] : [request, grouped.request], from)
  const tagsOf = await loadNames(deps, tagSetsIn(columns, grouped.groups))
  return {
    total: totals.total,
    groups: namedGroupsOf(columns, grouped.groups, tagsOf),
    series: series === null ? null : seriesOf(series.points, totals.points),
  }
}

/** Returns figures to compare with; null without runs, and undefined if nothing is compared. */
const previousOf = (compared: Compared | null, sums: Sums | undefined): Figures | null | undefined =>
  compared === null ? undefined : sums === undefined || countOf(sums) === 0 ? null : figuresOf(sums)
