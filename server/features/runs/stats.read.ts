import type { InputOf } from '../../../contract/endpoint.ts'
import type { RunStats } from '../../../contract/run-stats.ts'
import type { runs as endpoints } from '../../../contract/runs.ts'
import { prepareQuery } from '../../db/prepared.ts'
import type { Db } from '../../db/types.ts'
import {
  dayMs,
  floorTo,
  type Grain,
  hourMs,
  isRowGrain,
  minuteMs,
  nextOf,
  rowGrains,
  tiers,
} from './calendar.ts'
import type { Gate } from './gate.ts'
import type { NameLookup, Names } from './names.store.ts'
import type { Dimension } from './rollups.store.ts'
import { type RunFilter, readFilter } from './runs.filters.ts'
import { type Collected, collect, countRuns, type StatsRange } from './stats.collect.ts'
import {
  averageOf,
  costOf,
  countOf,
  type Measures,
  measuresOf,
  newSums,
  percentilesOf,
  pointOf,
  type Sums,
} from './stats.sums.ts'

export type StatsQuery = InputOf<typeof endpoints.stats>['query']

export type StatsReader = {
  stats(query: StatsQuery, now: Date): Promise<RunStats>
  /** Returns the number of runs that match a filter, which roll-ups can evaluate. */
  count(filter: RunFilter): Promise<number>
}

const mostPoints = 1000
/** Longest period for minutes in `auto`: two hours, with a tolerance for clocks and slow connections. */
const minutesUpTo = 2 * hourMs + 5 * minuteMs
/** Longest period for hours in `auto`: 192 points. */
const hoursUpTo = 8 * dayMs
/**
 * Maximum number of runs for five-minute points, which are computed from rows: 0.2 s at 100,000 rows per
 * second.
 */
const mostRows = 20_000
const mostNames = 1000
const mostKeys = 20
const shown: readonly Dimension[] = ['source', 'provider', 'model', 'ref_key']
const intervals = {
  minute: 'minute',
  '5min': '5min',
  [tiers.hour]: 'hour',
  [tiers.day]: 'day',
  [tiers.month]: 'month',
} as const

const oldest = prepareQuery<Record<never, never>, { created_at: number }>((q) =>
  q.selectFrom('runs').select('created_at').orderBy('created_at').limit(1),
)
const newest = prepareQuery<Record<never, never>, { created_at: number }>((q) =>
  q.selectFrom('runs').select('created_at').orderBy('created_at', 'desc').limit(1),
)

export function createStatsReader({ db, names, gate }: { db: Db; names: Names; gate: Gate }): StatsReader {
  /**
   * Returns the range. Ends beyond the log are moved to the ends of its months, where roll-ups cover them
   * exactly.
   */
  async function rangeOf(
    filter: RunFilter,
  ): Promise<(StatsRange & { oldest: number; newest: number }) | null> {
    const [first] = await oldest(db.read, {})
    const [last] = await newest(db.read, {})
    if (first === undefined || last === undefined) return null
    const { from, to } = filter
    return {
      names: filter.names,
      statuses: filter.statuses,
      from: from === undefined || from <= first.created_at ? floorTo(tiers.month, first.created_at) : from,
      to:
        to === undefined || to > last.created_at
          ? nextOf(tiers.month, floorTo(tiers.month, last.created_at))
          : to,
      oldest: first.created_at,
      newest: last.created_at,
    }
  }

  return {
    async count(filter) {
      return gate.read(async () => {
        const range = await rangeOf(filter)
        return range === null ? 0 : countRuns(db.read, range)
      })
    },

    async stats(query, now) {
      return gate.read(async () => {
        const filter = await readFilter(db.read, names, query)
        const range = filter === null ? null : await rangeOf(filter)
        const asked = frameOf(query, now.getTime(), range)
        const isTooFine =
          asked.grain === '5min' && range !== null && (await countRuns(db.read, range)) > mostRows
        const frame = isTooFine ? { ...asked, grain: tiers.hour } : asked
        const collected =
          range === null || range.from >= range.to
            ? { total: newSums(), by: new Map(), series: new Map() }
            : await collect(db.read, range, shown, frame.grain)
        const by = new Map(
          shown.map((dimension) => [dimension, busiestOf(collected.by.get(dimension), mostOf(dimension))]),
        )
        const ids = [...by.values()].flat().map(([id]) => id)
        const nameOf = await names.load(
          db.read,
          ids.filter((id) => id !== 0),
        )
        return statsOf(collected, by, frame, nameOf)
      })
    },
  }
}

type Frame = { readonly grain: Grain; readonly from: number; readonly to: number }

const widths = {
  ...rowGrains,
  [tiers.hour]: hourMs,
  [tiers.day]: dayMs,
  [tiers.month]: 28 * dayMs,
} as const
const pointsOf = (grain: Grain, from: number, to: number): number =>
  (to - floorTo(grain, from)) / widths[grain]

function wantedGrain({ interval, from: asked }: StatsQuery, from: number, to: number): Grain {
  if (interval === 'minute' || interval === '5min') return interval
  if (interval === 'hour') return tiers.hour
  if (interval === 'day') return tiers.day
  // Only a requested period can be in minutes: without one, the period grows with the log.
  if (asked !== undefined && to - from <= minutesUpTo) return 'minute'
  return to - from <= hoursUpTo ? tiers.hour : tiers.day
}

/** Returns the time that the series covers, which ends now at the latest, and the interval of its points. */
function frameOf(query: StatsQuery, now: number, range: { oldest: number; newest: number } | null): Frame {
  const end = Math.max(now, range?.newest ?? now) + 1
  const to = Math.min(query.to?.getTime() ?? end, end)
  let from = query.from?.getTime() ?? range?.oldest ?? to
  let grain = wantedGrain(query, from, to)
  if (isRowGrain(grain) && pointsOf(grain, from, to) > mostPoints) grain = tiers.hour
  if (grain === tiers.hour && pointsOf(grain, from, to) > mostPoints) grain = tiers.day
  if (grain === tiers.day && pointsOf(grain, from, to) > mostPoints) grain = tiers.month
  // A very long range is reduced to the part that has runs.
  if (grain === tiers.month && pointsOf(grain, from, to) > mostPoints) from = range?.oldest ?? to
  return { grain, from, to }
}

const none = newSums()

type Busiest = [id: number, sums: Sums][]

const mostOf = (dimension: Dimension): number => (dimension === 'ref_key' ? mostKeys : mostNames)

function statsOf(
  { total, series }: Collected,
  by: ReadonlyMap<Dimension, Busiest>,
  frame: Frame,
  nameOf: NameLookup,
): RunStats {
  const [p50 = null, p95 = null, p99 = null] = percentilesOf(total, [50, 95, 99])
  const points: RunStats['series'] = []
  if (frame.from < frame.to) {
    for (let start = floorTo(frame.grain, frame.from); start < frame.to; start = nextOf(frame.grain, start)) {
      points.push({ start: new Date(start).toISOString(), ...pointOf(series.get(start) ?? none) })
    }
  }
  const named = (dimension: Dimension) => breakdownOf(by.get(dimension) ?? [], nameOf, mostOf(dimension))
  return {
    total: countOf(total),
    ok: total.ok,
    error: total.error,
    prompt_tokens: total.promptTokens,
    output_tokens: total.outputTokens,
    total_tokens: total.totalTokens,
    avg_latency_ms: averageOf(total),
    p50_latency_ms: p50,
    p95_latency_ms: p95,
    p99_latency_ms: p99,
    cost_usd: costOf(total),
    cost_unknown: total.costUnknown,
    by_provider: named('provider').map(([provider, of]) => ({ provider: provider ?? '', ...of })),
    by_model: named('model').map(([model, of]) => ({ model: model ?? '', ...of })),
    by_source: named('source').map(([source, of]) => ({ source: source ?? '', ...of })),
    by_ref_key: named('ref_key').map(([ref_key, of]) => ({ ref_key, ...of })),
    interval: intervals[frame.grain],
    series: points,
  }
}

/** Returns the most frequent names, and those as frequent as the last of them, up to a limit. */
function busiestOf(sums: ReadonlyMap<number, Sums> | undefined, most: number): Busiest {
  const sorted = [...(sums ?? [])]
    .filter(([, of]) => countOf(of) > 0)
    .sort(([, a], [, b]) => countOf(b) - countOf(a))
  const last = sorted[most - 1]
  if (last === undefined) return sorted
  const least = countOf(last[1])
  return sorted.filter(([, of], index) => index < most || (index < most + 1000 && countOf(of) === least))
}

/** Returns the most frequent names first; equal ones sorted by name. */
function breakdownOf(busiest: Busiest, nameOf: NameLookup, most: number): [string | null, Measures][] {
  return busiest
    .map(([id, of]): [string | null, Sums] => [id === 0 ? null : nameOf(id), of])
    .sort(([a, x], [b, y]) => countOf(y) - countOf(x) || ((a ?? '') < (b ?? '') ? -1 : 1))
    .slice(0, most)
    .map(([name, of]) => [name, measuresOf(of)])
}
