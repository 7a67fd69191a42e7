// @ts-check

/** Standard normal quantile of a one-sided test at α = 0.01. */
const criticalZ = 2.326

/**
 * Computes the Mann-Kendall test for a monotonic trend, with Sen's slope. Positive z: the values rise.
 * @param {readonly number[]} values Equally spaced.
 */
function mannKendall(values) {
  const n = values.length
  let sum = 0
  /** @type {number[]} */
  const slopes = []
  for (let i = 0; i < n; i += 1)
    for (let j = i + 1; j < n; j += 1) {
      const difference = (values[j] ?? 0) - (values[i] ?? 0)
      sum += Math.sign(difference)
      slopes.push(difference / (j - i))
    }
  const ties = new Map()
  for (const value of values) ties.set(value, (ties.get(value) ?? 0) + 1)
  const tied = [...ties.values()].reduce((all, t) => all + t * (t - 1) * (2 * t + 5), 0)
  const variance = (n * (n - 1) * (2 * n + 5) - tied) / 18
  const z = variance <= 0 || sum === 0 ? 0 : (sum - Math.sign(sum)) / Math.sqrt(variance)
  slopes.sort((a, b) => a - b)
  return { z, slope: slopes[Math.floor(slopes.length / 2)] ?? 0, isRising: z > criticalZ }
}

/**
 * The smallest relevant rise, as a share of the mean in 10 minutes. The service uses about 40 MB besides its
 * code and the database. At 50 requests per second, 1 % of that in 10 minutes is 14 bytes per request. This
 * is less than the 24 bytes of the smallest object with its slot in a collection. So a leak of one object per
 * request is found, and one of 700 bytes per publish.
 */
const relevantShare = 0.01
/**
 * The smallest relevant rise within the samples, in bytes. Tables that double and late compilation change the
 * heap by several hundred kilobytes; over a window of 90 seconds these would extrapolate to several percent.
 * Over 20 minutes the share decides: 1 % in 10 minutes is 700 kB there.
 */
const relevantRise = 512 * 1024
const tenMinutes = 600_000

/**
 * Tests memory samples for a leak: a significant rise (Mann-Kendall, one-sided, α = 0.01) by more than 1 % of
 * the mean in 10 minutes (Sen's slope), and by more than half a megabyte within the samples.
 * @param {readonly { readonly at: number, readonly bytes: number }[]} samples In order; `at` in milliseconds.
 */
export function testForLeak(samples) {
  const bytes = samples.map((sample) => sample.bytes)
  const { z, slope, isRising } = mannKendall(bytes)
  const mean = bytes.reduce((sum, value) => sum + value, 0) / Math.max(1, bytes.length)
  const interval = ((samples.at(-1)?.at ?? 0) - (samples[0]?.at ?? 0)) / Math.max(1, samples.length - 1)
  const share = interval > 0 && mean > 0 ? (slope / interval) * (tenMinutes / mean) : 0
  return {
    samples: samples.length,
    mean_mb: Number((mean / 2 ** 20).toFixed(1)),
    z: Number(z.toFixed(2)),
    percent_in_10_minutes: Number((share * 100).toFixed(2)),
    isLeak: isRising && share > relevantShare && slope * (samples.length - 1) > relevantRise,
  }
}

/**
 * Tests counts of open descriptors: flat is no significant rise, or one of less than two descriptors within
 * the samples. A request or a checkpoint in progress has one open for a moment.
 * @param {readonly number[]} counts
 */
export function isFlat(counts) {
  const { slope, isRising } = mannKendall(counts)
  return !isRising || slope * counts.length < 2
}
