import { describe, expect, test } from 'vitest'
import { minute } from '../runs-support.ts'
import { log, reopen, setUpLog, stats } from './stats-support.ts'

setUpLog()

describe('time zones', () => {
  test.each([
    ['UTC', ['2026-11-20T00:00:00.000Z', '2026-11-21T00:00:00.000Z'], [2, 2], false],
    ['Europe/Berlin', ['2026-11-19T23:00:00.000Z', '2026-11-20T23:00:00.000Z'], [1, 3], false],
    ['Asia/Kolkata', ['2026-11-19T18:00:00.000Z', '2026-11-20T18:00:00.000Z'], [1, 3], true],
  ])('days of %s', async (tz, starts, counts, isRounded) => {
    await reopen({ maxExactRuns: 0 })
    for (const time of ['20T10:00', '20T23:30', '21T01:00', '21T11:00'])
      await log.add({ created_at: `2026-11-${time}:00Z` })
    await log.runs.maintain()
    const found = await stats({ from: '2026-11-20T06:00:00Z', interval: 'day', tz })
    expect(found.series.map(({ start, count }) => [start, count])).toEqual(
      starts.map((start, index) => [start, counts[index]]),
    )
    expect([found.tz, found.rounded]).toEqual([tz, isRounded])
  })
  test('few runs are read as rows, so days of half-hour zones are exact', async () => {
    await log.add({ created_at: '2026-11-20T18:20:00Z' })
    const found = await stats({ from: '2026-11-20T06:00:00Z', interval: 'day', tz: 'Asia/Kolkata' })
    expect(found.series.map(({ start, count }) => [start, count])).toEqual([
      ['2026-11-19T18:30:00.000Z', 1],
      ['2026-11-20T18:30:00.000Z', 0],
    ])
    expect(found.rounded).toBe(false)
  })
  test.each([
    // The clock skips midnight: the first moment of the day is 01:00.
    ['America/Santiago', '2026-09-05T04:00:00.000Z', '2026-09-06T04:00:00.000Z', '2026-09-07T03:00:00.000Z'],
    ['America/Havana', '2026-03-07T05:00:00.000Z', '2026-03-08T05:00:00.000Z', '2026-03-09T04:00:00.000Z'],
    ['Africa/Cairo', '2026-04-22T22:00:00.000Z', '2026-04-23T22:00:00.000Z', '2026-04-24T21:00:00.000Z'],
    // The clock returns from 00:00 to 23:00 of the day before.
    ['Africa/Cairo', '2026-10-28T21:00:00.000Z', '2026-10-29T22:00:00.000Z', '2026-10-30T22:00:00.000Z'],
  ])('days of %s begin at their first moment when the clock changes at midnight', async (tz, ...starts) => {
    log.settings = { ...log.settings, runRetentionDays: 3650 }
    const [before = '', changed = '', after = ''] = starts
    await log.add({ created_at: new Date(Date.parse(changed) - minute).toISOString() })
    await log.add({ created_at: changed })
    const to = new Date(Date.parse(after) + minute).toISOString()
    const found = await stats({ from: before, to, interval: 'day', tz })
    expect(found.series.map(({ start, count }) => [start, count])).toEqual([
      [before, 1],
      [changed, 1],
      [after, 0],
    ])
  })
  test('weeks begin on Monday, and a day of 25 hours is one point', async () => {
    await log.add({ created_at: '2026-10-25T00:30:00Z' })
    await log.add({ created_at: '2026-10-25T22:30:00Z' })
    const days = await stats({
      from: '2026-10-24T22:00:00Z',
      to: '2026-10-26T23:00:00Z',
      interval: 'day',
      tz: 'Europe/Berlin',
    })
    expect(days.series.map(({ start, count }) => [start, count])).toEqual([
      ['2026-10-24T22:00:00.000Z', 2],
      ['2026-10-25T23:00:00.000Z', 0],
    ])
    const weeks = await stats({ from: '2026-11-10T00:00:00Z', interval: 'week' })
    expect(weeks.series.map(({ start }) => start.slice(0, 10))).toEqual(['2026-11-09', '2026-11-16'])
    const months = await stats({ from: '2026-10-31T22:59:00Z', interval: 'month', tz: 'Europe/Berlin' })
    expect(months.series.map(({ start }) => start)).toEqual([
      '2026-09-30T22:00:00.000Z',
      '2026-10-31T23:00:00.000Z',
    ])
  })
})
