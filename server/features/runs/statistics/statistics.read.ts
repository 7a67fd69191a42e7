import type { RunStats } from '../../../../contract/runs/run-stats.ts'
import type { Db } from '../../../db/types.ts'
import type { ReadWriteLock } from '../../../lib/async/read-write-lock.ts'
import { type RunFilter, readFilter } from '../store/filters.ts'
import type { NameDictionary } from '../store/names.store.ts'
import { runStore } from '../store/runs.store.ts'
import { floorTo, nextOf, tiers } from './calendar.ts'
import { type Collected, collect, countRuns } from './collect.ts'
import type { StatsRange } from './parts.read.ts'
import { periodOf, type StatsQuery } from './period.ts'
import { listedDimensions, statsOf, topNamesByDimension } from './reply.ts'
import { newSums } from './sums.ts'

export type StatsReader = {
  stats(query: StatsQuery, now: Date): Promise<RunStats>
  /** Returns the number of runs that match a filter, which roll-ups can evaluate. */
  count(filter: RunFilter): Promise<number>
}

type Deps = { readonly db: Db; readonly names: NameDictionary; readonly lock: ReadWriteLock }
type LogRange = StatsRange & { readonly oldest: number; readonly newest: number }

/**
 * Maximum number of runs for five-minute points, which are computed from rows: 0.2 s at 100,000 rows per
 * second.
 */
const maxRows = 20_000

/**
 * Creates the reader of statistics. They consist of several statements; a run that is compacted or removed
 * between two of them would be counted twice or never. So every change of runs and roll-ups holds the lock
 * as a writer, and statistics hold it as a reader.
 */
export const createStatsReader = (deps: Deps): StatsReader => ({
  count: (filter) =>
    deps.lock.read(async () => {
      const range = await rangeOf(deps, filter)
      return range === null ? 0 : countRuns(deps.db.read, range)
    }),
  stats: (query, now) => deps.lock.read(() => readStats(deps, query, now)),
})

async function readStats(deps: Deps, query: StatsQuery, now: Date): Promise<RunStats> {
  const { db, names } = deps
  const filter = await readFilter(db.read, names, query)
  const range = filter === null ? null : await rangeOf(deps, filter)
  const initial = periodOf(query, now.getTime(), range)
  const isTooFine = initial.grain === '5min' && range !== null && (await countRuns(db.read, range)) > maxRows
  const period = isTooFine ? { ...initial, grain: tiers.hour } : initial
  const collected: Collected =
    range === null || range.from >= range.to
      ? { total: newSums(), by: new Map(), series: new Map() }
      : await collect(db.read, range, listedDimensions, period.grain)
  const topNames = topNamesByDimension(collected)
  const ids = [...topNames.values()].flat().map(([id]) => id)
  const nameOf = await names.loadTexts(
    db.read,
    ids.filter((id) => id !== 0),
  )
  return statsOf(collected, topNames, period, nameOf)
}

/**
 * Returns the range; null if the log is empty. Ends beyond the log are moved to the ends of its months, where
 * roll-ups cover them exactly.
 */
async function rangeOf({ db }: Deps, { columns, statuses, from, to }: RunFilter): Promise<LogRange | null> {
  const log = await runStore.ends(db.read)
  if (log === null) return null
  return {
    ...log,
    names: columns,
    statuses,
    from: from === undefined || from <= log.oldest ? floorTo(tiers.month, log.oldest) : from,
    to: to === undefined || to > log.newest ? nextOf(tiers.month, floorTo(tiers.month, log.newest)) : to,
  }
}
