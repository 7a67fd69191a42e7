import type { RunStats } from '../../../../contract/runs/run-stats.ts'
import type { Dimension } from '../../../db/schema/run-columns.ts'
import type { NameLookup } from '../store/forms.ts'
import { floorTo, nextOf, tiers } from './calendar.ts'
import type { Collected } from './collect.ts'
import type { Period } from './period.ts'
import {
  averageOf,
  costOf,
  countOf,
  type Figures,
  figuresOf,
  newSums,
  percentilesOf,
  pointOf,
  type Sums,
} from './sums.ts'

/** The dimensions whose names the statistics list. */
export const listedDimensions: readonly Dimension[] = ['source', 'provider', 'model', 'ref_key']
const maxNames = 1000
const maxKeys = 20
const maxOf = (dimension: Dimension): number => (dimension === 'ref_key' ? maxKeys : maxNames)

const intervals = {
  minute: 'minute',
  '5min': '5min',
  [tiers.hour]: 'hour',
  [tiers.day]: 'day',
  [tiers.month]: 'month',
} as const

type TopNames = [id: number, sums: Sums][]
export type TopNamesByDimension = ReadonlyMap<Dimension, TopNames>

/** Returns the names to list, by dimension. */
export const topNamesByDimension = ({ by }: Collected): TopNamesByDimension =>
  new Map(listedDimensions.map((dimension) => [dimension, topNamesOf(by.get(dimension), maxOf(dimension))]))

/** Returns the most frequent names, and those as frequent as the last of them, up to a limit. */
function topNamesOf(sums: ReadonlyMap<number, Sums> | undefined, limit: number): TopNames {
  const sorted = [...(sums ?? [])]
    .filter(([, nameSums]) => countOf(nameSums) > 0)
    .sort(([, a], [, b]) => countOf(b) - countOf(a))
  const last = sorted[limit - 1]
  if (last === undefined) return sorted
  const minCount = countOf(last[1])
  return sorted.filter(
    ([, nameSums], index) => index < limit || (index < limit + 1000 && countOf(nameSums) === minCount),
  )
}

/** Returns the most frequent names first; equal ones sorted by name. */
function breakdownOf(topNames: TopNames, nameOf: NameLookup, limit: number): [string | null, Figures][] {
  return topNames
    .map(([id, sums]): [string | null, Sums] => [id === 0 ? null : nameOf(id), sums])
    .sort(([a, x], [b, y]) => countOf(y) - countOf(x) || ((a ?? '') < (b ?? '') ? -1 : 1))
    .slice(0, limit)
    .map(([name, sums]) => [name, figuresOf(sums)])
}

const emptySums = newSums()

/** Returns every point of the period, also those without runs. */
function seriesOf(series: Collected['series'], { grain, from, to }: Period): RunStats['series'] {
  const points: RunStats['series'] = []
  if (from >= to) return points
  for (let start = floorTo(grain, from); start < to; start = nextOf(grain, start))
    points.push({ start: new Date(start).toISOString(), ...pointOf(series.get(start) ?? emptySums) })
  return points
}

/** Returns the statistics in the form of the contract. */
export function statsOf(
  { total, series }: Collected,
  names: TopNamesByDimension,
  period: Period,
  nameOf: NameLookup,
): RunStats {
  const [p50 = null, p95 = null, p99 = null] = percentilesOf(total, [50, 95, 99])
  const by = (dimension: Dimension) => breakdownOf(names.get(dimension) ?? [], nameOf, maxOf(dimension))
  return {
    total: countOf(total),
    ok: total.ok,
    error: total.error,
    prompt_tokens: total.prompt_tokens,
    output_tokens: total.output_tokens,
    total_tokens: total.total_tokens,
    avg_latency_ms: averageOf(total),
    p50_latency_ms: p50,
    p95_latency_ms: p95,
    p99_latency_ms: p99,
    cost_usd: costOf(total),
    cost_unknown: total.cost_unknown,
    by_provider: by('provider').map(([provider, figures]) => ({ provider: provider ?? '', ...figures })),
    by_model: by('model').map(([model, figures]) => ({ model: model ?? '', ...figures })),
    by_source: by('source').map(([source, figures]) => ({ source: source ?? '', ...figures })),
    by_ref_key: by('ref_key').map(([ref_key, figures]) => ({ ref_key, ...figures })),
    interval: intervals[period.grain],
    series: seriesOf(series, period),
  }
}
