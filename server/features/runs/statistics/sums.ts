import { type SummedColumn, summedColumns } from '../../../db/schema/run-columns.ts'
import {
  addDistribution,
  addDuration,
  addHistogram,
  type Distribution,
  newDistribution,
  percentilesOf,
} from './distribution.ts'
import type { RollupRow, RunFacts } from './rollups/rollup.ts'

/** A roll-up or a run. `start` is its time in epoch milliseconds; `addTo` adds it to sums. */
export type Part = { readonly start: number; readonly addTo: (into: Sums) => void }

/** Sums for one row or point of the statistics. `ttft` is null if it is not complete. */
export type Sums = Record<SummedColumn, number> & {
  ok: number
  error: number
  cost_unknown: number
  latency: Distribution
  ttft: Distribution | null
}

export const newSums = (): Sums => ({
  prompt_tokens: 0,
  output_tokens: 0,
  total_tokens: 0,
  latency_us: 0,
  cost_nano: 0,
  ttft_us: 0,
  ok: 0,
  error: 0,
  cost_unknown: 0,
  latency: newDistribution(),
  ttft: newDistribution(),
})

/** Returns a roll-up as a part. `hasTtfts` is false while roll-ups lack times to first token, after an upgrade. */
export const rollupPart = (rollup: RollupRow, hasTtfts: boolean): Part => ({
  start: rollup.start,
  addTo(into) {
    if (rollup.status === 0) into.ok += rollup.n
    else into.error += rollup.n
    for (const column of summedColumns) into[column] += rollup[column]
    into.cost_unknown += rollup.cost_unknown
    // The sum of a roll-up of one run is the duration of that run.
    const isRun = rollup.n === 1
    addTo(into.latency, isRun, rollup.latency_us, rollup.latencies)
    if (!hasTtfts) into.ttft = null
    else if (into.ttft !== null) addTo(into.ttft, isRun, rollup.ttft_us, rollup.ttfts)
  },
})

/** Adds a duration or a histogram. A run without a time to first token has an empty histogram. */
function addTo(into: Distribution, isRun: boolean, micros: number, histogram: string): void {
  if (histogram === '') return
  if (isRun) addDuration(into, micros)
  else addHistogram(into, histogram)
}

export const runPart = (run: RunFacts): Part => ({
  start: run.created_at,
  addTo(into) {
    if (run.status === 0) into.ok += 1
    else into.error += 1
    for (const column of summedColumns) into[column] += run[column] ?? 0
    if (run.cost_nano === null) into.cost_unknown += 1
    addDuration(into.latency, run.latency_us)
    if (into.ttft !== null && run.ttft_us !== null) addDuration(into.ttft, run.ttft_us)
  },
})

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

export const countOf = (sums: Sums): number => sums.ok + sums.error

/** Returns the average latency in milliseconds; null without runs. */
const averageOf = (sums: Sums): number | null =>
  countOf(sums) === 0 ? null : Math.round(sums.latency_us / countOf(sums)) / 1000

/** Returns the known cost in US dollars; null if no cost is known. */
const costOf = (sums: Sums): number | null =>
  countOf(sums) - sums.cost_unknown === 0 ? null : sums.cost_nano / 1e9

/** Returns true if the percentiles are those of the runs themselves, not of histograms. */
const isExact = (sums: Sums): boolean => sums.latency.micros !== null

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
