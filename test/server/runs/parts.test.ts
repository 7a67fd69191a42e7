import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import type { Price } from '../../../contract/models/prices.ts'
import { pricerOf } from '../../../server/features/runs/ingest/prices.ts'
import { startRunSchedule } from '../../../server/features/runs/retention/schedule.ts'
import {
  ceilTo,
  floorTo,
  nextOf,
  piecesOf,
} from '../../../server/features/runs/statistics/rollups/calendar.ts'
import {
  bucketOf,
  middleOf,
  newCounts,
  percentiles,
  readInto,
  writeCounts,
} from '../../../server/features/runs/statistics/rollups/histogram.ts'
import { wordsOf } from '../../../server/features/runs/store/names.store.ts'
import { createReadWriteLock } from '../../../server/lib/async/read-write-lock.ts'
import { day, hour, minimal, noon, openRunLog, type RunLog } from './runs-support.ts'

/** Returns a promise and the function that resolves it. */
function deferred() {
  let resolve = () => {}
  const promise = new Promise<void>((done) => {
    resolve = done
  })
  return { promise, resolve }
}

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

describe('read-write lock', () => {
  test('many readers or one writer, in order', async () => {
    const lock = createReadWriteLock()
    const order: string[] = []
    const open = deferred()
    const work = [
      lock.read(async () => {
        order.push('r1')
        await open.promise
        order.push('r1 ends')
      }),
      lock.read(async () => void order.push('r2')),
      lock.write(async () => void order.push('w')),
      lock.read(async () => void order.push('r3')),
    ]
    await new Promise((resolve) => setImmediate(resolve))
    expect(order).toEqual(['r1', 'r2'])
    open.resolve()
    await Promise.all(work)
    expect(order).toEqual(['r1', 'r2', 'r1 ends', 'w', 'r3'])
  })
  test('a writer that failed, or released early, does not block the others', async () => {
    const lock = createReadWriteLock()
    await expect(lock.write(async () => Promise.reject(new Error('no')))).rejects.toThrow('no')
    const end = deferred()
    const first = lock.write(async (release) => {
      release()
      release()
      await end.promise
    })
    expect(await lock.write(async () => 'second')).toBe('second')
    end.resolve()
    await first
  })
})

describe('maintenance', () => {
  let log: RunLog
  beforeEach(async () => {
    log = await openRunLog()
  })
  afterEach(() => log.close())
  const at = (offset: number) => new Date(noon + offset).toISOString()
  const rollups = () => log.db.read.selectFrom('run_rollups').selectAll().execute()

  test('removes old runs with their part of the statistics, completely', async () => {
    await log.add({ created_at: at(-80 * day), error: 'unique failure 17', status: 'error', ref_key: 'gone' })
    await log.runs.maintain()
    await log.add({ created_at: at(-10 * day), ref_key: 'kept' })
    log.settings = { ...log.settings, runRetentionDays: 30 }
    expect(await log.runs.maintain()).toEqual({ removed: 1 })
    const stats = await log.runs.stats(log.ctx(), { interval: 'day' })
    expect(stats).toMatchObject({ total: 1, error: 0, by_ref_key: [{ ref_key: 'kept', count: 1 }] })
    expect((await log.runs.list(log.ctx(), { limit: 9, q: 'failure' })).total).toBe(0)
    const names = await log.db.read.selectFrom('names').select('name').execute()
    expect(names.map(({ name }) => name)).not.toContain('unique failure 17')
    expect(
      await log.db.read.selectFrom('name_words').select('word').where('word', '=', 'unique').execute(),
    ).toEqual([])
    log.settings = { ...log.settings, runRetentionDays: 1 }
    await log.runs.maintain()
    expect(await rollups()).toEqual([])
    expect(log.errors).toEqual([])
  })

  test('a removed name is added again with its next run', async () => {
    await log.add({ created_at: at(-80 * day), ref_key: 'seasonal' })
    log.settings = { ...log.settings, runRetentionDays: 1 }
    await log.runs.maintain()
    expect((await log.add({ ref_key: 'seasonal' })).ref_key).toBe('seasonal')
    expect((await log.runs.list(log.ctx(), { limit: 5, q: 'season' })).total).toBe(1)
  })

  test('thousands of runs are removed in small transactions that let others run', async () => {
    // In the current month, whose partition is not dropped as a whole.
    for (let n = 0; n < 4; n += 1) {
      await log.runs.report(
        log.ctx(),
        Array.from({ length: 500 }, (_, index) => ({ ...minimal, created_at: at(-10 * day - index * 1000) })),
      )
    }
    log.settings = { ...log.settings, runRetentionDays: 7 }
    const before = log.db.status().committed
    const ticks = vi.fn()
    const timer = setInterval(ticks, 1)
    const added: unknown[] = []
    const maintained = log.runs.maintain()
    for (let n = 0; n < 3; n += 1) added.push(await log.add({ ref_key: 'meanwhile' }))
    expect(await maintained).toEqual({ removed: 2000 })
    clearInterval(timer)
    expect(log.db.status().committed - before).toBeGreaterThanOrEqual(10)
    expect(ticks.mock.calls.length).toBeGreaterThan(3)
    expect(await log.runs.list(log.ctx(), { limit: 1 })).toMatchObject({ total: 3 })
  })

  test('two concurrent calls share one execution', async () => {
    await log.add({ created_at: at(-60 * day) })
    log.settings = { ...log.settings, runRetentionDays: 7 }
    expect(await Promise.all([log.runs.maintain(), log.runs.maintain()])).toEqual([
      { removed: 1 },
      { removed: 1 },
    ])
  })

  test('runs at intervals and on request, reports failures, and stops', async () => {
    let runWork = () => {}
    let rounds = 0
    const errors: unknown[] = []
    const stop = vi.fn()
    const schedule = startRunSchedule({
      runs: {
        async maintain() {
          rounds += 1
          if (rounds === 2) throw new Error('disk')
          return { removed: 0 }
        },
      },
      onError: (error) => errors.push(error),
      every: (_, work) => {
        runWork = work
        return stop
      },
    })
    for (const trigger of [runWork, runWork, () => schedule.runNow()]) {
      trigger()
      await new Promise((resolve) => setImmediate(resolve))
    }
    await schedule.close()
    expect(rounds).toBe(3)
    expect(errors).toHaveLength(1)
    expect(stop).toHaveBeenCalledOnce()
  })
})
