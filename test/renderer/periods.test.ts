import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  type PeriodName,
  periodNames,
  periods,
  previousRange,
  rangeOf,
} from '../../renderer/lib/format/period.ts'

const minute = 60_000
const someTime = fc.integer({ min: Date.UTC(2020), max: Date.UTC(2040) })
const relative = fc.constantFrom('15m', '1h', '6h', '24h', '7d', '30d', '90d')
const startOf = (period: PeriodName, now: number) => Date.parse(rangeOf({ period }, 'all', now).from ?? '')

test('a relative period starts up to 5 minutes early, never late', () => {
  fc.assert(
    fc.property(relative, someTime, (period, now) => {
      const early = now - periods[period] - startOf(period, now)
      expect(early).toBeGreaterThanOrEqual(0)
      expect(early).toBeLessThan(5 * minute)
    }),
  )
})

test('viewers who open a relative period within 5 seconds send at most two different requests', () => {
  fc.assert(
    fc.property(relative, someTime, fc.array(fc.integer({ min: 0, max: 4999 })), (period, now, delays) => {
      const starts = new Set(delays.map((delay) => startOf(period, now + delay)))
      expect(starts.size).toBeLessThanOrEqual(2)
    }),
  )
})

test('the previous range ends where the period begins and is never empty', () => {
  fc.assert(
    fc.property(fc.constantFrom(...periodNames), someTime, (period, now) => {
      const previous = previousRange({ period }, 'all', now)
      if (previous === null) {
        expect(period).toBe('all')
        return
      }
      const { from } = rangeOf({ period }, 'all', now)
      expect(previous.to).toBe(from)
      expect(Date.parse(previous.from ?? '')).toBeLessThan(Date.parse(from ?? ''))
    }),
  )
})
