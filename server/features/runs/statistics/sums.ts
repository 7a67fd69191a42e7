import { type SummedColumn, summedColumns } from '../../../db/schema/run-columns.ts'
import { recordOf } from '../store/columns.ts'
import { bucketOf, middleOf, newCounts, percentiles, readInto, writeCounts } from './rollups/histogram.ts'
import { type RollupMeasures, type RunFacts, sumsOf } from './rollups/rollup.ts'

/** The measures of a roll-up, or of a run. `isRun`: the latency is that of one run. */
export type Part = RollupMeasures & {
  readonly start: number
  readonly status: number
  readonly isRun: boolean
}

/** Maximum number of runs whose percentiles are exact. */
export const maxExactRuns = 5000
/** Histograms to keep before they are merged. */
const maxTexts = 256

/**
 * Sums for one row or point of the statistics. Percentiles are computed from the latencies of up to 5,000 runs
 * in `micros`; with more runs, or roll-ups of several runs, from histograms, which remain text until then.
 */
export type Sums = Record<SummedColumn, number> & {
  ok: number
  error: number
  cost_unknown: number
  micros: number[] | null
  latencies: string[]
}

export const newSums = (): Sums => ({
  ...recordOf<Record<SummedColumn, number>>(summedColumns, () => 0),
  ok: 0,
  error: 0,
  cost_unknown: 0,
  micros: [],
  latencies: [],
})

export function addPart(into: Sums, part: Part): void {
  if (part.status === 0) into.ok += part.n
  else into.error += part.n
  for (const column of summedColumns) into[column] += part[column]
  into.cost_unknown += part.cost_unknown
  if (part.isRun) addLatency(into, part.latency_us)
  else if (part.latencies !== '') addHistogram(into, part.latencies)
}

/** Adds other sums, such as those of several groups. */
export function addSums(into: Sums, sums: Sums): void {
  into.ok += sums.ok
  into.error += sums.error
  for (const column of summedColumns) into[column] += sums[column]
  into.cost_unknown += sums.cost_unknown
  if (sums.micros !== null) for (const micros of sums.micros) addLatency(into, micros)
  else addHistogram(into, mergedOf(sums.latencies))
}

function addLatency(into: Sums, micros: number): void {
  if (into.micros === null) addHistogram(into, `${bucketOf(micros)}:1`)
  else if (into.micros.length < maxExactRuns) into.micros.push(micros)
  else addHistogram(into, `${bucketOf(micros)}:1`)
}

function addHistogram(into: Sums, text: string): void {
  if (into.micros !== null) {
    const counts = newCounts()
    for (const micros of into.micros) counts[bucketOf(micros)] = (counts[bucketOf(micros)] ?? 0) + 1
    const earlier = writeCounts(counts)
    if (earlier !== '') into.latencies.push(earlier)
    into.micros = null
  }
  into.latencies.push(text)
  if (into.latencies.length >= maxTexts) into.latencies = [mergedOf(into.latencies)]
}

function mergedOf(latencies: readonly string[]): string {
  const counts = newCounts()
  for (const text of latencies) readInto(counts, text)
  return writeCounts(counts)
}

/** Returns a run as a roll-up of one run. Its latency is not a histogram. */
export const partOf = (run: RunFacts): Part => ({
  ...sumsOf(run, 1),
  latencies: '',
  start: run.created_at,
  status: run.status,
  isRun: true,
})

export const countOf = (sums: Sums): number => sums.ok + sums.error

const milliseconds = (micros: number): number => Number((micros / 1000).toPrecision(6))

/** Returns the average latency in milliseconds; null without runs. */
export const averageOf = (sums: Sums): number | null =>
  countOf(sums) === 0 ? null : Math.round(sums.latency_us / countOf(sums)) / 1000

/** Returns the known cost in US dollars; null if no cost is known. */
export const costOf = (sums: Sums): number | null =>
  countOf(sums) - sums.cost_unknown === 0 ? null : sums.cost_nano / 1e9

/** Returns true if the percentiles are those of the runs themselves, not of histograms. */
export const isExact = (sums: Sums): boolean => sums.micros !== null

/** Returns latency percentiles in milliseconds, for ascending `ranks` in percent; null without runs. */
export function percentilesOf(sums: Sums, ranks: readonly number[]): (number | null)[] {
  const { micros, latencies } = sums
  if (micros !== null) {
    const sorted = Float64Array.from(micros).sort()
    const at = (rank: number) => sorted[Math.max(1, Math.ceil((rank / 100) * sorted.length)) - 1]
    return ranks.map((rank) => toMilliseconds(at(rank)))
  }
  const [only = ''] = latencies
  if (latencies.length === 1 && !only.includes(' ')) {
    // A single bucket is the usual case for a series with few runs.
    const middle = middleOf(Number(only.slice(0, only.indexOf(':'))))
    return ranks.map(() => milliseconds(middle))
  }
  const counts = newCounts()
  for (const text of latencies) readInto(counts, text)
  return percentiles(counts, ranks).map((value) => (value === null ? null : milliseconds(value)))
}

const toMilliseconds = (micros: number | undefined): number | null =>
  micros === undefined ? null : micros / 1000

/** The measures of a group in the contract. */
export function figuresOf(sums: Sums) {
  const [p50 = null, p95 = null, p99 = null] = percentilesOf(sums, [50, 95, 99])
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
    cost_usd: costOf(sums),
    cost_unknown: sums.cost_unknown,
    exact: isExact(sums),
  }
}
export type Figures = ReturnType<typeof figuresOf>
