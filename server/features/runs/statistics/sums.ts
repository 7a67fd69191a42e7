import { type SummedColumn, summedColumns } from '../../../db/schema/run-columns.ts'
import { recordOf } from '../store/columns.ts'
import { middleOf, newCounts, percentiles, readInto } from './histogram.ts'
import { measuresOf, namesOf, type Rollup, type RollupMeasures, type RunFacts } from './rollup.ts'

/** A roll-up, or a run as one. */
export type RollupRow = Omit<Rollup, 'tier' | 'slice'>

/** Sums for one row or point of the statistics. Histograms remain text until a percentile is computed. */
export type Sums = Record<SummedColumn, number> & {
  ok: number
  error: number
  cost_unknown: number
  readonly latencies: string[]
}

export const newSums = (): Sums => ({
  ...recordOf<Record<SummedColumn, number>>(summedColumns, () => 0),
  ok: 0,
  error: 0,
  cost_unknown: 0,
  latencies: [],
})

export function addPart(into: Sums, part: RollupMeasures & { readonly status: number }): void {
  if (part.status === 0) into.ok += part.n
  else into.error += part.n
  for (const column of summedColumns) into[column] += part[column]
  into.cost_unknown += part.cost_unknown
  if (part.latencies !== '') into.latencies.push(part.latencies)
}

/** Returns a run as a roll-up of one run. */
export const partOf = (run: RunFacts): RollupRow => ({
  ...namesOf(run),
  ...measuresOf(run, 1),
  start: run.created_at,
  status: run.status,
})

export const countOf = (sums: Sums): number => sums.ok + sums.error

const milliseconds = (micros: number): number => Number((micros / 1000).toPrecision(6))

/** Returns the average latency in milliseconds; null without runs. */
export const averageOf = (sums: Sums): number | null =>
  countOf(sums) === 0 ? null : Math.round(sums.latency_us / countOf(sums)) / 1000

/** Returns the known cost in US dollars; null if no cost is known. */
export const costOf = (sums: Sums): number | null =>
  countOf(sums) - sums.cost_unknown === 0 ? null : sums.cost_nano / 1e9

/** Returns latency percentiles in milliseconds, for ascending `ranks` in percent; null without runs. */
export function percentilesOf(sums: Sums, ranks: readonly number[]): (number | null)[] {
  if (sums.latencies.length === 1) {
    // A single bucket is the usual case for a series with few runs.
    const [only = ''] = sums.latencies
    if (!only.includes(' ')) {
      const bucket = Number(only.slice(0, only.indexOf(':')))
      return ranks.map(() => milliseconds(middleOf(bucket)))
    }
  }
  const counts = newCounts()
  for (const text of sums.latencies) readInto(counts, text)
  return percentiles(counts, ranks).map((value) => (value === null ? null : milliseconds(value)))
}

/** The measures of a breakdown in the contract. */
export type Figures = {
  count: number
  ok: number
  error: number
  total_tokens: number
  avg_latency_ms: number | null
  p95_latency_ms: number | null
  cost_usd: number | null
}

export function figuresOf(sums: Sums): Figures {
  return {
    count: countOf(sums),
    ok: sums.ok,
    error: sums.error,
    total_tokens: sums.total_tokens,
    avg_latency_ms: averageOf(sums),
    p95_latency_ms: percentilesOf(sums, [95])[0] ?? null,
    cost_usd: costOf(sums),
  }
}

export type PointFigures = Figures & {
  prompt_tokens: number
  output_tokens: number
  p50_latency_ms: number | null
  p99_latency_ms: number | null
}

/** Returns a point of the series. All its percentiles use one pass over the histogram. */
export function pointOf(sums: Sums): PointFigures {
  const [p50 = null, p95 = null, p99 = null] = percentilesOf(sums, [50, 95, 99])
  return {
    count: countOf(sums),
    ok: sums.ok,
    error: sums.error,
    total_tokens: sums.total_tokens,
    avg_latency_ms: averageOf(sums),
    p95_latency_ms: p95,
    cost_usd: costOf(sums),
    prompt_tokens: sums.prompt_tokens,
    output_tokens: sums.output_tokens,
    p50_latency_ms: p50,
    p99_latency_ms: p99,
  }
}
