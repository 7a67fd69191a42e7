import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Price } from '../../../../contract/models/prices.ts'
import { pricerOf } from '../../../../server/features/runs/ingest/prices.ts'
import {
  ceilTo,
  floorTo,
  nextOf,
  piecesOf,
} from '../../../../server/features/runs/statistics/rollups/calendar.ts'
import {
  bucketOf,
  middleOf,
  newCounts,
  percentiles,
  readInto,
  writeCounts,
} from '../../../../server/features/runs/statistics/rollups/histogram.ts'
import { wordsOf } from '../../../../server/features/runs/store/names.store.ts'
import { day, hour } from '../runs-support.ts'

describe('histogram', () => {
  test('a bucket represents its values within 5 %', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 86_400_000_000 }), (micros) => {
        expect(Math.abs(middleOf(bucketOf(micros)) - micros) / micros).toBeLessThanOrEqual(0.05)
      }),
    )
    expect(middleOf(bucketOf(0))).toBe(0)
  })
  test('percentiles are within 5 % of the nearest rank', () => {
    const values = fc.array(fc.integer({ min: 0, max: 1e9 }), { minLength: 1, maxLength: 200 })
    fc.assert(
      fc.property(values, fc.constantFrom(1, 50, 90, 95, 99, 100), (list, rank) => {
        const counts = newCounts()
        readInto(counts, list.map((value) => `${bucketOf(value)}:1`).join(' '))
        const sorted = [...list].sort((a, b) => a - b)
        const exact = sorted[Math.max(1, Math.ceil((rank / 100) * list.length)) - 1] ?? 0
        const [found = Number.NaN] = percentiles(counts, [rank])
        expect(Math.abs((found ?? Number.NaN) - exact)).toBeLessThanOrEqual(exact * 0.05)
      }),
    )
  })
  test('merged histograms are summed, and removed values are subtracted', () => {
    const counts = newCounts()
    readInto(counts, '3:2 7:1 3:1')
    readInto(counts, '7:-1')
    readInto(counts, '')
    expect(writeCounts(counts)).toBe('3:3')
    expect(percentiles(newCounts(), [50])).toEqual([null])
  })
})

describe('prices', () => {
  const price = (provider: string, model: string, from: string, input: number, output = 0): Price => ({
    provider,
    model,
    from,
    input_usd_per_million: input,
    output_usd_per_million: output,
  })
  const cost = (
    prices: Price[],
    provider: string,
    model: string,
    at = '2026-11-21',
    tokens: [number | null, number | null] = [1_000_000, 0],
  ) =>
    pricerOf(prices)({
      provider,
      model,
      promptTokens: tokens[0],
      outputTokens: tokens[1],
      createdAt: Date.parse(at),
    })

  test.each([
    ['an exact name', [price('a', 'm', '2026-01-01', 2)], 'a', 'm', 2e9],
    ['a pattern', [price('a', 'm*', '2026-01-01', 2)], 'a', 'm-large', 2e9],
    [
      'the longest pattern',
      [
        price('a', '*', '2026-01-01', 1),
        price('a', 'm-l*', '2026-01-01', 3),
        price('a', 'm*', '2026-01-01', 2),
      ],
      'a',
      'm-large',
      3e9,
    ],
    [
      'an exact name over a pattern of the same length',
      [price('a', 'm*', '2026-01-01', 1), price('a', 'm', '2026-01-01', 2)],
      'a',
      'm',
      2e9,
    ],
    [
      'the newest day over the longest pattern',
      [price('a', 'm-large', '2026-01-01', 9), price('a', 'm*', '2026-06-01', 2)],
      'a',
      'm-large',
      2e9,
    ],
    [
      'a day in the future',
      [price('a', 'm', '2026-01-01', 1), price('a', 'm', '2026-11-22', 5)],
      'a',
      'm',
      1e9,
    ],
    ['the first day', [price('a', 'm', '2026-11-21', 5)], 'a', 'm', 5e9],
    ['another provider', [price('b', 'm', '2026-01-01', 1)], 'a', 'm', null],
    ['another model', [price('a', 'm', '2026-01-01', 1)], 'a', 'm2', null],
    ['an empty price table', [], 'a', 'm', null],
    ['a local model', [price('ollama', 'x', '2026-01-01', 1)], 'ollama', 'x', 0],
    ['the provider mock', [], 'mock', 'any', 0],
    ['a price of 0', [price('a', 'm', '2026-01-01', 0)], 'a', 'm', 0],
  ] as const)('%s', (_, prices, provider, model, expected) => {
    expect(cost([...prices], provider, model)).toBe(expected)
  })
  test('covers both kinds of tokens, to the nano-dollar; unknown if nothing is known', () => {
    const prices = [price('a', 'm', '2026-01-01', 0.15, 0.6)]
    expect(cost(prices, 'a', 'm', '2026-11-21', [1, 1])).toBe(750)
    expect(cost(prices, 'a', 'm', '2026-11-21', [7, null])).toBe(1050)
    expect(cost(prices, 'a', 'm', '2026-11-21', [null, null])).toBeNull()
    expect(cost([price('a', 'm', '2026-01-01', 100_000)], 'a', 'm', '2026-11-21', [1e9, 0])).toBeNull()
  })
})

describe('calendar', () => {
  test('intervals cover a span exactly, the coarsest where they fit', () => {
    const time = fc.integer({ min: Date.parse('2026-01-01'), max: Date.parse('2027-03-01') })
    fc.assert(
      fc.property(time, time, fc.constantFrom(1, 2, 3), (a, b, coarsest) => {
        const [from, to] = [Math.min(a, b), Math.max(a, b)]
        const pieces = piecesOf(from, to, coarsest as 1 | 2 | 3, 1)
        let at = from
        for (const piece of pieces) {
          expect(piece.from).toBe(at)
          expect(piece.to).toBeGreaterThan(piece.from)
          at = piece.to
          if (piece.tier === 'rows') expect(piece.to - piece.from).toBeLessThanOrEqual(hour * 2)
          else
            expect([floorTo(piece.tier, piece.from), floorTo(piece.tier, piece.to)]).toEqual([
              piece.from,
              piece.to,
            ])
        }
        if (from < to) expect(at).toBe(to)
      }),
    )
  })
  test('months have their own lengths', () => {
    const february = Date.parse('2028-02-01')
    expect(nextOf(3, february) - february).toBe(29 * day)
    expect(ceilTo(3, february + 1)).toBe(Date.parse('2028-03-01'))
    expect(ceilTo(3, february)).toBe(february)
  })
})

test('words of a text are case-folded, split at anything but letters and digits, and bounded', () => {
  expect(wordsOf('GPT-4o: Überlast, ＡＢＣ über')).toEqual(['gpt', '4o', 'überlast', 'abc', 'über'])
  expect(wordsOf('x'.repeat(100))).toEqual(['x'.repeat(40)])
  expect(wordsOf(Array.from({ length: 500 }, (_, n) => `w${n}`).join(' '))).toHaveLength(64)
})
