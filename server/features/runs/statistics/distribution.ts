import { bucketOf, middleOf, newCounts, percentiles, readInto, writeCounts } from './rollups/histogram.ts'

/** Maximum number of runs whose percentiles are exact. */
export const maxExactRuns = 5000
/** Number of histograms at which they are merged into one. */
const maxHistograms = 256

/**
 * Durations of runs in microseconds. Up to 5,000 durations are in `micros`, and their percentiles are exact. With more
 * of them, or with roll-ups of several runs, `micros` is null, and percentiles are estimated from the histograms.
 */
export type Distribution = { micros: number[] | null; histograms: string[] }

export const newDistribution = (): Distribution => ({ micros: [], histograms: [] })

export function addDuration(into: Distribution, micros: number): void {
  if (into.micros !== null && into.micros.length < maxExactRuns) into.micros.push(micros)
  else addHistogram(into, `${bucketOf(micros)}:1`)
}

export function addHistogram(into: Distribution, text: string): void {
  if (into.micros !== null) {
    const counts = newCounts()
    for (const micros of into.micros) counts[bucketOf(micros)] = (counts[bucketOf(micros)] ?? 0) + 1
    const earlier = writeCounts(counts)
    if (earlier !== '') into.histograms.push(earlier)
    into.micros = null
  }
  into.histograms.push(text)
  if (into.histograms.length >= maxHistograms) into.histograms = [mergedOf(into.histograms)]
}

export function addDistribution(into: Distribution, { micros, histograms }: Distribution): void {
  if (micros === null) addHistogram(into, mergedOf(histograms))
  else for (const duration of micros) addDuration(into, duration)
}

function mergedOf(histograms: readonly string[]): string {
  const counts = newCounts()
  for (const text of histograms) readInto(counts, text)
  return writeCounts(counts)
}

const milliseconds = (micros: number): number => Number((micros / 1000).toPrecision(6))

/** Returns percentiles in milliseconds, for ascending `ranks` in percent; null without durations. */
export function percentilesOf(
  { micros, histograms }: Distribution,
  ranks: readonly number[],
): (number | null)[] {
  if (micros !== null) {
    const sorted = new Float64Array(micros).sort()
    const at = (rank: number) => sorted[Math.max(1, Math.ceil((rank / 100) * sorted.length)) - 1]
    return ranks.map((rank) => toMilliseconds(at(rank)))
  }
  const [only = ''] = histograms
  if (histograms.length === 1 && only !== '' && !only.includes(' ')) {
    // A single bucket is the usual case for a series with few runs.
    const middle = middleOf(Number(only.slice(0, only.indexOf(':'))))
    return ranks.map(() => milliseconds(middle))
  }
  const counts = newCounts()
  for (const text of histograms) readInto(counts, text)
  return percentiles(counts, ranks).map((value) => (value === null ? null : milliseconds(value)))
}

const toMilliseconds = (micros: number | undefined): number | null =>
  micros === undefined ? null : micros / 1000
