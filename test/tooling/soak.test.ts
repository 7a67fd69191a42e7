import { expect, it } from 'vitest'
import { createRandom } from '../harness/lib/random.mjs'
import { compare } from '../harness/soak/records.mjs'
import { isFlat, testForLeak } from '../harness/soak/trend.mjs'

const megabyte = 2 ** 20

/** Returns samples of 40 MB over `minutes`, with noise of ±150 kB and a rise in bytes per minute. */
function samplesOf(minutes: number, count: number, rise: number, seed: number) {
  const random = createRandom(seed)
  return Array.from({ length: count }, (_, index) => {
    const passed = (minutes * index) / count
    return { at: passed * 60_000, bytes: 40 * megabyte + passed * rise + (random() - 0.5) * 300_000 }
  })
}
const seeds = Array.from({ length: 50 }, (_, index) => index + 1)

it('finds a leak of 32 bytes per request in 20 minutes, despite noise', () => {
  const rise = 32 * 50 * 60
  for (const seed of seeds) expect(testForLeak(samplesOf(20, 40, rise, seed)).isLeak).toBe(true)
})

it('finds the leak of the control run in 20 seconds', () => {
  const rise = 1024 * 50 * 60
  for (const seed of seeds) expect(testForLeak(samplesOf(1 / 3, 12, rise, seed)).isLeak).toBe(true)
})

it('does not report noise and a rise below 1 % in 10 minutes', () => {
  const found = seeds.filter((seed) => testForLeak(samplesOf(20, 40, 0, seed)).isLeak)
  expect(found.length).toBeLessThanOrEqual(2)
  const rise = 0.008 * 4 * megabyte
  for (const seed of seeds) expect(testForLeak(samplesOf(20, 40, rise, seed)).isLeak).toBe(false)
})

it('does not report a constant or falling value', () => {
  expect(testForLeak(samplesOf(20, 40, -megabyte, 1)).isLeak).toBe(false)
  expect(testForLeak([]).isLeak).toBe(false)
  expect(testForLeak(Array.from({ length: 40 }, (_, at) => ({ at, bytes: megabyte }))).isLeak).toBe(false)
})

it('does not report a rise of less than half a megabyte in a short time', () => {
  // Observed in 80 seconds: 4.4 % in 10 minutes by extrapolation, actually a quarter of a megabyte.
  const rise = 0.15 * megabyte
  for (const seed of seeds) expect(testForLeak(samplesOf(4 / 3, 40, rise, seed)).isLeak).toBe(false)
})

it('distinguishes rising descriptors from a temporary one', () => {
  expect(isFlat([30, 30, 31, 30, 30, 32, 30, 30, 31, 30, 30, 30])).toBe(true)
  expect(isFlat([30, 30, 30, 31, 31, 31, 32, 32, 32, 33, 33, 33])).toBe(false)
})

it('names lost and repeated values', () => {
  expect(compare([1, 2, 3], [1, 3, 3, 4])).toEqual({ lost: [2], doubled: [3, 4] })
  expect(compare([1, 2], [2, 1])).toEqual({ lost: [], doubled: [] })
})
