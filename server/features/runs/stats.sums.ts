import { bucketOf, middleOf, newCounts, percentiles, readInto } from './histogram.ts'
import type { RollupRow } from './rollups.read.ts'
import type { RunFacts } from './rollups.store.ts'

/** Sums for one row or point of the statistics. Histograms remain text until a percentile is computed. */
export type Sums = {
  ok: number
  error: number
  promptTokens: number
  outputTokens: number
  totalTokens: number
  latencyUs: number
  costNano: number
  costUnknown: number
  readonly latencies: string[]
}

export const newSums = (): Sums => ({
  ok: 0,
  error: 0,
  promptTokens: 0,
  outputTokens: 0,
  totalTokens: 0,
  latencyUs: 0,
  costNano: 0,
  costUnknown: 0,
  latencies: [],
})

type Part = Omit<RollupRow, 'source' | 'provider' | 'model' | 'workspace' | 'ref_key' | 'start'>

export function addPart(into: Sums, part: Part): void {
  if (part.status === 0) into.ok += part.n
  else into.error += part.n
  into.promptTokens += part.prompt_tokens
  into.outputTokens += part.output_tokens
  into.totalTokens += part.total_tokens
  into.latencyUs += part.latency_us
  into.costNano += part.cost_nano
  into.costUnknown += part.cost_unknown
  if (part.latencies !== '') into.latencies.push(part.latencies)
}

/** Returns a run as a roll-up of one run. */
export function partOf(run: RunFacts): RollupRow {
  return {
    start: run.created_at,
    source: run.source,
    provider: run.provider,
    model: run.model,
    workspace: run.workspace,
    ref_key: run.ref_key ?? 0,
    status: run.status,
    n: 1,
    prompt_tokens: run.prompt_tokens ?? 0,
    output_tokens: run.output_tokens ?? 0,
    total_tokens: run.total_tokens ?? 0,
    latency_us: run.latency_us,
    cost_nano: run.cost_nano ?? 0,
    cost_unknown: run.cost_nano === null ? 1 : 0,
    latencies: `${bucketOf(run.latency_us)}:1`,
  }
}

export const countOf = (sums: Sums): number => sums.ok + sums.error

const milliseconds = (micros: number): number => Number((micros / 1000).toPrecision(6))

/** Returns the average latency in milliseconds; null without runs. */
export const averageOf = (sums: Sums): number | null =>
  countOf(sums) === 0 ? null : Math.round(sums.latencyUs / countOf(sums)) / 1000

/** Returns the known cost in US dollars; null if no cost is known. */
export const costOf = (sums: Sums): number | null =>
  countOf(sums) - sums.costUnknown === 0 ? null : sums.costNano / 1e9

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

export type Measures = {
  count: number
  ok: number
  error: number
  total_tokens: number
  avg_latency_ms: number | null
  p95_latency_ms: number | null
  cost_usd: number | null
}

export function measuresOf(sums: Sums): Measures {
  return {
    count: countOf(sums),
    ok: sums.ok,
    error: sums.error,
    total_tokens: sums.totalTokens,
    avg_latency_ms: averageOf(sums),
    p95_latency_ms: percentilesOf(sums, [95])[0] ?? null,
    cost_usd: costOf(sums),
  }
}

export type PointMeasures = Measures & {
  prompt_tokens: number
  output_tokens: number
  p50_latency_ms: number | null
  p99_latency_ms: number | null
}

/** Returns a point of the series. All its percentiles use one pass over the histogram. */
export function pointOf(sums: Sums): PointMeasures {
  const [p50 = null, p95 = null, p99 = null] = percentilesOf(sums, [50, 95, 99])
  return {
    count: countOf(sums),
    ok: sums.ok,
    error: sums.error,
    total_tokens: sums.totalTokens,
    avg_latency_ms: averageOf(sums),
    p95_latency_ms: p95,
    cost_usd: costOf(sums),
    prompt_tokens: sums.promptTokens,
    output_tokens: sums.outputTokens,
    p50_latency_ms: p50,
    p99_latency_ms: p99,
  }
}
