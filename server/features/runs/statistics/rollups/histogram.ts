/**
 * Latency histograms with buckets that grow by 8%. A percentile is the middle of the bucket that contains
 * its rank, so its error is at most (1.08 − 1) / (1.08 + 1) = 3.9%. Stored as `bucket:count` pairs, so that
 * concatenated texts are summed histograms.
 */
const growth = 1.08
const logGrowth = Math.log(growth)
/** 24 h in microseconds is in bucket 328. */
const bucketCount = 340

/** Returns the bucket of a latency. Bucket 0 is exactly 0 µs. */
export function bucketOf(micros: number): number {
  if (micros < 1) return 0
  return Math.min(bucketCount - 1, 1 + Math.floor(Math.log(micros) / logGrowth))
}

/** Returns the middle of a bucket, in microseconds. */
export function middleOf(bucket: number): number {
  if (bucket === 0) return 0
  const low = growth ** (bucket - 1)
  return (2 * low * growth) / (1 + growth)
}

export type Counts = Float64Array

export const newCounts = (): Counts => new Float64Array(bucketCount)

/** Adds the text of `writeCounts`, or several of them joined by spaces. Counts may be negative. */
export function readInto(counts: Counts, text: string): void {
  const length = text.length
  let bucket = 0
  let value = 0
  let sign = 1
  for (let index = 0; index < length; index += 1) {
    const code = text.charCodeAt(index)
    if (code >= 48 && code <= 57) value = value * 10 + code - 48
    else if (code === 58) {
      bucket = value
      value = 0
    } else if (code === 45) sign = -1
    else {
      counts[bucket] = (counts[bucket] ?? 0) + sign * value
      value = 0
      sign = 1
    }
  }
  if (length > 0) counts[bucket] = (counts[bucket] ?? 0) + sign * value
}

/** Returns the stored text of a histogram, without empty buckets. */
export function writeCounts(counts: Counts): string {
  let text = ''
  for (let bucket = 0; bucket < bucketCount; bucket += 1) {
    const count = counts[bucket]
    if (count !== 0 && count !== undefined) text += text === '' ? `${bucket}:${count}` : ` ${bucket}:${count}`
  }
  return text
}

/**
 * Returns nearest-rank percentiles in microseconds, for ascending `ranks` in percent; null without counts.
 */
export function percentiles(counts: Counts, ranks: readonly number[]): (number | null)[] {
  let total = 0
  for (const count of counts) total += count
  if (total <= 0) return ranks.map(() => null)
  const values: number[] = []
  let seen = 0
  let bucket = 0
  for (const rank of ranks) {
    const targetCount = Math.max(1, Math.ceil((rank / 100) * total))
    while (bucket < bucketCount && seen + (counts[bucket] ?? 0) < targetCount) {
      seen += counts[bucket] ?? 0
      bucket += 1
    }
    values.push(middleOf(bucket))
  }
  return values
}
