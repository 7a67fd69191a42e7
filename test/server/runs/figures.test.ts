import { setImmediate as nextTurn } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { list, log, many, setUpLog } from './read/read-support.ts'
import { at, day, hour, minute, noon, type RunLog } from './runs-support.ts'

setUpLog()

describe('statistics', () => {
  const stats = (query: Partial<Parameters<RunLog['runs']['stats']>[1]> = {}) =>
    log.runs.stats(log.ctx(), { interval: 'auto', ...query })

  test('of an empty log are zeros and nulls', async () => {
    expect(await stats()).toMatchObject({
      total: 0,
      ok: 0,
      cost_usd: null,
      p95_latency_ms: null,
      by_provider: [],
      cost_unknown: 0,
    })
    expect(await stats({ provider: ['nobody'], from: new Date(noon - 3 * hour) })).toMatchObject({
      total: 0,
      interval: 'hour',
      series: [{ count: 0, avg_latency_ms: null }, { count: 0 }, { count: 0 }, { count: 0 }],
    })
  })

  test('the series is filled with zeros within the requested period', async () => {
    await log.add({ created_at: at(-5 * hour) })
    const { series, interval } = await stats({
      from: new Date(noon - 6 * hour),
      to: new Date(noon - 2 * hour),
    })
    expect(interval).toBe('hour')
    expect(series.map(({ start, count }) => [start, count])).toEqual([
      [at(-6 * hour), 0],
      [at(-5 * hour), 1],
      [at(-4 * hour), 0],
      [at(-3 * hour), 0],
    ])
  })

  test('a point has all values of a chart, equal to its rows', async () => {
    await many(40, (index) => ({
      created_at: at(-hour),
      latency_ms: 10 + index * 25,
      prompt_tokens: 100 + index,
      output_tokens: index,
      cost_usd: index % 2 === 0 ? 0.001 : null,
      status: index % 8 === 0 ? 'error' : 'ok',
    }))
    for (const interval of ['minute', 'hour'] as const) {
      const { series } = await stats({ interval, from: new Date(noon - hour), to: new Date(noon) })
      const [first, ...others] = series
      expect(first).toMatchObject({ start: at(-hour), count: 40, ok: 35, error: 5 })
      expect(first?.prompt_tokens).toBe(4000 + 780)
      expect(first?.output_tokens).toBe(780)
      expect(first?.total_tokens).toBe(4000 + 2 * 780)
      expect(first?.cost_usd).toBeCloseTo(0.02, 9)
      // The 20th, 38th and 40th of the forty values.
      for (const [found, exact] of [
        [first?.p50_latency_ms, 485],
        [first?.p95_latency_ms, 935],
        [first?.p99_latency_ms, 985],
      ] as const)
        expect(Math.abs((found ?? 0) - exact)).toBeLessThanOrEqual(exact * 0.05)
      expect(others).toHaveLength(interval === 'minute' ? 59 : 0)
      for (const empty of others)
        expect(empty).toMatchObject({
          count: 0,
          total_tokens: 0,
          p50_latency_ms: null,
          p95_latency_ms: null,
          p99_latency_ms: null,
        })
    }
  })

  test.each([
    [15 * minute, 'minute', 15],
    [2 * hour, 'minute', 120],
    [3 * hour, 'hour', 3],
    [7 * day, 'hour', 168],
    [90 * day, 'day', 91],
  ] as const)('a period of %d ms is shown by the %s', async (length, interval, points) => {
    log.settings = { ...log.settings, runRetentionDays: 365 }
    await many(30, (index) => ({ created_at: at(-index * minute) }))
    const period = { from: new Date(noon - length), to: new Date(noon) }
    for (const provider of [undefined, ['openai']]) {
      const found = await stats({ ...period, provider })
      expect(found.interval).toBe(interval)
      expect(found.series).toHaveLength(points)
      const total = (await list({ ...period, provider })).total
      expect(found.total).toBe(total)
      expect(found.series.reduce((sum, point) => sum + point.count, 0)).toBe(total)
    }
  })

  test('minutes are counted exactly at the ends of a period, and a long one is shown by the hour', async () => {
    await many(120, (index) => ({ created_at: at(-index * 1000) }))
    await log.runs.maintain()
    const cut = await stats({ from: new Date(noon - 90_500), to: new Date(noon - 29_500) })
    expect(cut.series.map(({ start, count }) => [start, count])).toEqual([
      [at(-2 * minute), 30],
      [at(-minute), 31],
    ])
    expect(cut.total).toBe((await list({ from: new Date(noon - 90_500), to: new Date(noon - 29_500) })).total)
    const long = { interval: 'minute', to: new Date(noon) } as const
    expect((await stats({ ...long, from: new Date(noon - 1000 * minute) })).series).toHaveLength(1000)
    expect((await stats({ ...long, from: new Date(noon - 1001 * minute) })).interval).toBe('hour')
    // The complete period of a new log uses hours anyway.
    expect((await stats()).interval).toBe('hour')
  })

  test('five minutes are counted from rows, in a period with few enough', async () => {
    await many(48, (index) => ({ created_at: at(-index * 3 * minute), latency_ms: 100 }))
    await log.runs.maintain()
    const period = { from: new Date(noon - 3 * hour), to: new Date(noon + minute) }
    const fine = await stats({ ...period, interval: '5min' })
    expect(fine.interval).toBe('5min')
    expect(fine.series).toHaveLength(37)
    expect(fine.series.slice(-3).map(({ start, count }) => [start, count])).toEqual([
      [at(-10 * minute), 2],
      [at(-5 * minute), 1],
      [at(0), 1],
    ])
    const coarse = await stats({ ...period, interval: 'hour' })
    expect({ ...fine, interval: '', series: [] }).toEqual({ ...coarse, interval: '', series: [] })
    // Shown by the hour beyond 1,000 points.
    expect((await stats({ interval: '5min', from: new Date(noon - 84 * hour) })).interval).toBe('hour')
  })

  test('five minutes become hours where more than 20,000 runs would have to be counted', async () => {
    const created_at = at(-hour)
    await many(1, () => ({ created_at }))
    await log.runs.maintain()
    // The number of runs is read from the roll-ups.
    await log.db.write(({ q }) => q.updateTable('run_rollups').set({ n: 20_000 }).execute())
    const query = { interval: '5min', from: new Date(noon - 3 * hour), to: new Date(noon) } as const
    expect((await stats(query)).interval).toBe('5min')
    await many(1, () => ({ created_at }))
    expect(await stats(query)).toMatchObject({ interval: 'hour', total: 20_001 })
  })

  test('the series never has more than 1,000 points and reports their interval', async () => {
    log.settings = { ...log.settings, runRetentionDays: 3650 }
    await log.add({ created_at: at(-3600 * day) })
    await log.add()
    const months = await stats({ interval: 'hour' })
    expect(months.interval).toBe('month')
    expect(months.series.reduce((sum, point) => sum + point.count, 0)).toBe(2)
    expect((await stats({ interval: 'hour', from: new Date(noon - 100 * day) })).interval).toBe('day')
    expect((await stats({ interval: 'hour', from: new Date(noon - 41 * day) })).series).toHaveLength(985)
    expect(
      (await stats({ from: new Date(0), to: new Date('9999-01-01') })).series.length,
    ).toBeLessThanOrEqual(1000)
    expect((await stats({ from: new Date('0001-01-01') })).total).toBe(2)
  })

  test('only the 20 most used keys are named, the others are still counted', async () => {
    for (let key = 0; key < 25; key += 1)
      await many(key + 1, () => ({ ref_key: `key-${String(key).padStart(2, '0')}` }))
    for (const phase of ['before compaction', 'after compaction']) {
      const { by_ref_key, total } = await stats()
      expect([phase, total]).toEqual([phase, 325])
      expect(by_ref_key).toHaveLength(20)
      expect(by_ref_key[0]).toMatchObject({ ref_key: 'key-24', count: 25 })
      expect(by_ref_key[19]).toMatchObject({ ref_key: 'key-05', count: 6 })
      await log.runs.maintain()
    }
  })

  test('stay consistent while runs are added, compacted and removed', async () => {
    for (let n = 0; n < 4; n += 1)
      await many(500, (index) => ({ created_at: at(-index * hour), provider: `p${index % 7}` }))
    let isDone = false
    let readTwice = (): void => undefined
    const twoReads = new Promise<void>((resolve) => {
      readTwice = resolve
    })
    const work = (async () => {
      log.settings = { ...log.settings, runRetentionDays: 10 }
      const maintained = log.runs.maintain()
      for (let n = 0; n < 10; n += 1) {
        // On a busy machine, all could be added before the first read ends.
        if (n === 5) await twoReads
        await many(100, (index) => ({ created_at: at(-index * hour), provider: `p${index % 7}` }))
      }
      await maintained
      isDone = true
    })()
    let reads = 0
    while (!isDone) {
      const found = await stats({ interval: 'day' })
      expect(found.by_provider.reduce((sum, line) => sum + line.count, 0)).toBe(found.total)
      expect(found.series.reduce((sum, point) => sum + point.count, 0)).toBe(found.total)
      reads += 1
      if (reads === 2) readTwice()
      // Yield, as a real caller would between requests; otherwise disk callbacks never run.
      await nextTurn()
    }
    await work
    expect((await stats()).total).toBe((await list({ limit: 1 })).total)
  })
})
