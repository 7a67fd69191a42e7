import { type SummedColumn, summedColumns } from '../../../db/schema/run-columns.ts'
import { recordOf } from '../store/columns.ts'
import {
  addDistribution,
  addDuration,
  addHistogram,
  type Distribution,
  newDistribution,
  percentilesOf,
} from './distribution.ts'
import { type RollupMeasures, type RunFacts, sumsOf, ttftsOf } from './rollups/rollup.ts'

/** The measures of a roll-up, or of a run. `isRun`: the durations are those of one run. */
export type Part = Omit<RollupMeasures, 'ttfts'> & {
  readonly start: number
  readonly status: number
  readonly isRun: boolean
  /** Null while roll-ups lack times to first token, after an upgrade. */
  readonly ttfts: string | null
}

/** Sums for one row or point of the statistics. `ttft` is null if it is not complete. */
export type Sums = Record<SummedColumn, number> & {
  ok: number
  error: number
  cost_unknown: number
  latency: Distribution
  ttft: Distribution | null
}

export const newSums = (): Sums => ({
  ...recordOf<Record<SummedColumn, number>>(summedColumns, () => 0),
  ok: 0,
  error: 0,
  cost_unknown: 0,
  latency: newDistribution(),
  ttft: newDistribution(),
})

export function addPart(into: Sums, part: Part): void {
  if (part.status === 0) into.ok += part.n
  else into.error += part.n
  for (const column of summedColumns) into[column] += part[column]
  into.cost_unknown += part.cost_unknown
  addTo(into.latency, part.isRun, part.latency_us, part.latencies)
  if (part.ttfts === null) into.ttft = null
  // A run without a time to first token has an empty histogram.
  else if (into.ttft !== null && part.ttfts !== '') addTo(into.ttft, part.isRun, part.ttft_us, part.ttfts)
}

function addTo(into: Distribution, isRun: boolean, micros: number, histogram: string): void {
  if (isRun) addDuration(into, micros)
  else if (histogram !== '') addHistogram(into, histogram)
}

/** Adds other sums, such as those of several groups. */
export function addSums(into: Sums, sums: Sums): void {
  into.ok += sums.ok
  into.error += sums.error
  for (const column of summedColumns) into[column] += sums[column]
  into.cost_unknown += sums.cost_unknown
  addDistribution(into.latency, sums.latency)
  if (into.ttft === null || sums.ttft === null) into.ttft = null
  else addDistribution(into.ttft, sums.ttft)
}

/** Returns a run as a roll-up of one run. Its latency is not a histogram. */
export const partOf = (run: RunFacts): Part => ({
  ...sumsOf(run, 1),
  latencies: '',
  ttfts: ttftsOf(run, 1),
  start: run.created_at,
  status: run.status,
  isRun: true,
})

export const countOf = (sums: Sums): number => sums.ok + sums.error

/** Returns the average latency in milliseconds; null without runs. */
export const averageOf = (sums: Sums): number | null =>
  countOf(sums) === 0 ? null : Math.round(sums.latency_us / countOf(sums)) / 1000

/** Returns the known cost in US dollars; null if no cost is known. */
export const costOf = (sums: Sums): number | null =>
  countOf(sums) - sums.cost_unknown === 0 ? null : sums.cost_nano / 1e9

/** Returns true if the percentiles are those of the runs themselves, not of histograms. */
export const isExact = (sums: Sums): boolean => sums.latency.micros !== null

/** The measures of a group in the contract. */
export function figuresOf(sums: Sums) {
  const [p50 = null, p95 = null, p99 = null] = percentilesOf(sums.latency, [50, 95, 99])
  const [p50Ttft = null, p95Ttft = null] = sums.ttft === null ? [] : percentilesOf(sums.ttft, [50, 95])
  const count = countOf(sums)
  return {
    count,
    ok: sums.ok,
    error: sums.error,
    error_rate: count === 0 ? null : sums.error / count,
    prompt_tokens: sums.prompt_tokens,
    output_tokens: sums.output_tokens,
    total_tokens: sums.total_tokens,
    avg_latency_ms: averageOf(sums),
    p50_latency_ms: p50,
    p95_latency_ms: p95,
    p99_latency_ms: p99,
    p50_ttft_ms: p50Ttft,
    p95_ttft_ms: p95Ttft,
    cost_usd: costOf(sums),
    cost_unknown: sums.cost_unknown,
    exact: isExact(sums),
  }
}
export type Figures = ReturnType<typeof figuresOf>
