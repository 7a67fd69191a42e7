import type { RunStats } from '../../../../contract/runs/run-stats.ts'
import type { Db } from '../../../db/types.ts'
import type { ReadWriteLock } from '../../../lib/async/read-write-lock.ts'
import {
  createSharedResults,
  defaultSharedBytes,
  type SharedResults,
} from '../../../lib/async/shared-results.ts'
import type { Scope } from '../../../lib/context.ts'
import { hourMs } from '../../../lib/durations.ts'
import { type RunFilter, readFilter, visibleNames } from '../store/filters.ts'
import type { NameDictionary } from '../store/names.store.ts'
import { runStore } from '../store/runs.store.ts'
import { areRolledUp, countRuns } from './collect.ts'
import { maxExactRuns as defaultMaxExactRuns } from './distribution.ts'
import { columnsOf } from './groups.ts'
import { isCountedByHistograms, countAtLeast as readLowerBound } from './lower-bound.read.ts'
import { periodOf, type StatsQuery } from './period.ts'
import { type Interval, pointsOf, tierOf, utc, type Zone, zoneOf } from './points.ts'
import { type Compared, readCompared, readReply, type Series } from './read-reply.ts'
import { lengthOfStats, listedColumns } from './reply.ts'
import { floorTo, nextOf, tiers } from './rollups/calendar.ts'
import type { ReadFacts } from './rows.read.ts'
import { createFactReader } from './shared-facts.read.ts'
import type { Need, StatsRange } from './sources.ts'

export type StatsReader = {
  stats(scope: Scope, query: StatsQuery, now: Date): Promise<RunStats>
  /** Returns the number of runs that match a filter, which roll-ups can evaluate. */
  count(filter: RunFilter): Promise<number>
  /** Returns a number of runs that certainly match, without reading runs; 0 if nothing is known. */
  countAtLeast(filter: RunFilter): Promise<number>
}

type Deps = {
  readonly db: Db
  readonly names: NameDictionary
  readonly lock: ReadWriteLock
  /** Maximum number of runs that are always read as rows, so that percentiles are exact. */
  readonly maxExactRuns?: number
  /** Maximum size of the statistics that readers share, in bytes of JSON; with 0, none is shared. */
  readonly sharedBytes?: number
}
type ScopedDeps = Deps & { readonly scope: Scope }
type SharingDeps = ScopedDeps & { readonly shared: SharedResults<RunStats>; readonly readFacts: ReadFacts }
/** The times of the oldest and the newest run that the caller sees. */
type LogEnds = { readonly oldest: number; readonly newest: number }
type LogRange = StatsRange & LogEnds

/**
 * Maximum number of runs for five-minute points, which are computed from rows: 0.2 s at 100,000 rows per
 * second.
 */
const maxFiveMinuteRuns = 20_000
/** Maximum number of runs to read for days of a time zone that roll-ups do not have. Takes 2 s. */
const maxZonedRuns = 200_000

/**
 * Creates the reader of statistics. They consist of several statements; a run that is compacted or removed
 * between two of them would be counted twice or never. So every change of runs and roll-ups holds the lock
 * as a writer, and statistics from roll-ups hold it as a reader. Statistics from rows read each run once, and
 * hold no lock, because they may take seconds.
 */
export function createStatsReader(deps: Deps): StatsReader {
  const { db, lock, sharedBytes = defaultSharedBytes } = deps
  const version = () => db.status().committed
  const counts = createSharedResults<number>(version, sharedBytes)
  const shared = createSharedResults<RunStats>(version, sharedBytes, lengthOfStats)
  const readFacts = createFactReader(db, sharedBytes)
  return {
    count: (filter) =>
      counts.get(JSON.stringify(filter), version(), () => lock.read(() => count(deps, filter))),
    countAtLeast: (filter) => lock.read(() => countAtLeast(deps, filter)),
    stats: (scope, query, now) => readStats({ ...deps, shared, readFacts, scope }, query, now),
  }
}

async function count(deps: Deps, filter: RunFilter): Promise<number> {
  const range = await rangeOf(deps, filter)
  return range === null ? 0 : ((await countRuns(deps.db.read, range)) ?? 0)
}

async function countAtLeast(deps: Deps, filter: RunFilter): Promise<number> {
  if (!isCountedByHistograms(filter)) return 0
  const range = await rangeOf(deps, filter)
  return range === null ? 0 : readLowerBound(deps.db.read, range)
}

async function readStats(deps: SharingDeps, query: StatsQuery, now: Date): Promise<RunStats> {
  const { db, names, lock, shared, scope } = deps
  const version = shared.version()
  const filter = await readFilter(db.read, names, scope, query)
  const compared = query.compare_from === undefined ? null : await compare(deps, query, filter, now)
  const read = (range: LogRange | null, plan: Series) =>
    shared.get(keyOfReply(query, filter, range, plan), version, () =>
      readReply(deps, query, range, plan, compared),
    )
  const found = await lock.read(async () => {
    const range = filter === null ? null : await rangeOf(deps, filter)
    const plan = await planSeries(deps, query, now, range)
    if (range !== null && plan.from === 'rows') return { range, plan }
    return read(range, plan)
  })
  return 'plan' in found ? read(found.range, found.plan) : found
}

/**
 * Names what a reply depends on, except the store. The period to compare with depends on the query and the filter.
 * The filter contains what the caller may see, and the series the current time.
 */
const keyOfReply = (
  query: StatsQuery,
  filter: RunFilter | null,
  range: LogRange | null,
  series: Series,
): string => JSON.stringify([query, filter, range, series])

/** Reads the figures of the period to compare with. */
async function compare(
  deps: SharingDeps,
  query: StatsQuery,
  filter: RunFilter | null,
  now: Date,
): Promise<Compared> {
  const { db, lock, maxExactRuns = defaultMaxExactRuns } = deps
  const from = query.compare_from?.getTime()
  const to = (query.compare_to ?? query.from)?.getTime()
  const isEmpty = filter === null || from === undefined || to === undefined
  const range = isEmpty ? null : { filter, from, to }
  // Both series have the same interval, so that their points pair up.
  const plan = query.compare_series === 'true' ? await planOwnSeries(deps, query, now, filter) : null
  const zone = plan === null || plan.tz === utc.name ? utc : zoneOf(plan.tz)
  const seriesFrom = (source: Series['from']): Series | null =>
    plan === null || from === undefined || to === undefined
      ? null
      : roundedOf({ from, to }, plan.interval, zone, source)
  const isSmallOrRows = async (of: StatsRange) => {
    const count = await countRuns(db.read, of)
    const needs = needsOf({ ...query, series_of: 'total' }, plan?.interval ?? 'month', zone)
    return count === null || count <= maxExactRuns || !(await areRolledUp(db.read, of, needs))
  }
  const read = (source: Series['from']) =>
    readCompared(deps, query, range, { series: seriesFrom(source), from: source })
  const found = await lock.read(async () =>
    range !== null && (await isSmallOrRows(range)) ? null : read('rollups'),
  )
  return found ?? read('rows')
}

/** Plans the series of the period itself. */
const planOwnSeries = (
  deps: ScopedDeps,
  query: StatsQuery,
  now: Date,
  filter: RunFilter | null,
): Promise<Series> =>
  deps.lock.read(async () =>
    planSeries(deps, query, now, filter === null ? null : await rangeOf(deps, filter)),
  )

/** Chooses the interval and the time zone of the series, and whether the statistics are read from rows. */
async function planSeries(
  deps: ScopedDeps,
  query: StatsQuery,
  now: Date,
  range: LogRange | null,
): Promise<Series> {
  const { db, names, scope, maxExactRuns = defaultMaxExactRuns } = deps
  // The same period for a name that no run has as for one of runs that the caller does not see.
  const log = range ?? (await endsOf(deps, await visibleNames(db.read, names, scope)))
  const period = periodOf(query, now.getTime(), log)
  const count = range === null ? 0 : await countRuns(db.read, range)
  const isTooFine = period.interval === '5min' && (count === null || count > maxFiveMinuteRuns)
  const interval = isTooFine ? 'hour' : period.interval
  const zone = query.tz === undefined ? utc : zoneOf(query.tz)
  const series = (of: Zone, from: 'rows' | 'rollups'): Series => roundedOf(period, interval, of, from)
  if (range === null || count === null || count <= maxExactRuns) return series(zone, 'rows')
  const areAll = (of: Zone) => areRolledUp(db.read, range, needsOf(query, interval, of))
  if (await areAll(zone)) return series(zone, 'rollups')
  if (zone !== utc && count > maxZonedRuns && (await areAll(utc))) return series(utc, 'rollups')
  return series(zone, 'rows')
}

/** Returns what the reply needs from roll-ups. */
function needsOf({ group_by: dimensions, series_of }: StatsQuery, interval: Interval, zone: Zone): Need[] {
  const tier = tierOf(interval, zone)
  const total: Need = { columns: [], interval: tier }
  if (dimensions === undefined)
    return [total, ...Object.values(listedColumns).map((columns): Need => ({ columns, interval: null }))]
  return [total, { columns: columnsOf(dimensions), interval: series_of === 'groups' ? tier : null }]
}

/** Returns the points of the series. From roll-ups, days begin at a full hour of UTC. */
function roundedOf(
  { from, to }: { readonly from: number; readonly to: number },
  interval: Interval,
  zone: Zone,
  source: 'rows' | 'rollups',
): Series {
  const exact = pointsOf(interval, from, to, zone)
  const tier = tierOf(interval, zone)
  const points =
    source === 'rows' || tier === 'rows' ? exact : exact.map((at) => Math.floor(at / hourMs) * hourMs)
  const isRounded = points.some((at, index) => at !== exact[index])
  return { interval, tier, tz: zone.name, points, isRounded, from: source }
}

/**
 * Returns the range; null if the log is empty. Ends beyond the log are moved to the ends of its months, where
 * roll-ups cover them exactly.
 */
async function rangeOf(deps: Deps, filter: RunFilter): Promise<LogRange | null> {
  const { from, to, visible } = filter
  const log = await endsOf(deps, visible)
  if (log === null) return null
  return {
    ...log,
    filter,
    from: from === undefined || from <= log.oldest ? floorTo(tiers.month, log.oldest) : from,
    to: to === undefined || to > log.newest ? nextOf(tiers.month, floorTo(tiers.month, log.newest)) : to,
  }
}

/** Returns null for an empty log. The times of runs of other workspaces would show in the period of the series. */
const endsOf = ({ db }: Deps, visible: RunFilter['visible']): Promise<LogEnds | null> =>
  visible === null ? runStore.ends(db.read) : runStore.endsOf(db.read, visible)
