import { describe, expect, test } from 'vitest'
import { RunReport as ReportSchema } from '../../../../contract/runs/run.ts'
import { runs as endpoints } from '../../../../contract/runs/runs.ts'
import { day, hour, minimal, noon } from '../runs-support.ts'
import { count, log, problemOf, setUpLog } from './ingest-support.ts'

setUpLog()

describe('time', () => {
  test('set by the service decreases only if the clock is corrected by more than five minutes', async () => {
    const first = await log.add()
    log.now = noon - 5000
    const second = await log.add()
    expect(second.created_at).toBe(first.created_at)
    expect(second.id).toBe(2)
    log.now = noon + 1000
    expect((await log.add()).created_at).toBe('2026-11-21T12:00:01.000Z')
    log.now = noon - 300_000
    expect((await log.add()).created_at).toBe('2026-11-21T11:55:00.000Z')
  })

  test.each([
    ['exactly as old as the retention', -90 * day, true],
    ['a millisecond older than the retention', -90 * day - 1, false],
    ['five minutes in the future', 300_000, true],
    ['five minutes and a millisecond in the future', 300_001, false],
    ['far in the future', 400 * day, false],
  ])('reported as %s', async (_, offset, isAccepted) => {
    const created_at = new Date(noon + offset).toISOString()
    if (isAccepted) expect((await log.add({ created_at })).created_at).toBe(created_at)
    else {
      const problem = await problemOf(log.add({ created_at }))
      expect(problem.code).toBe('request.invalid')
      expect(problem.extra.errors).toMatchObject([{ path: 'created_at' }])
      expect(await count()).toBe(0)
    }
  })

  test('a shortened retention refuses older runs', async () => {
    log.settings = { ...log.settings, runRetentionDays: 1 }
    const problem = await problemOf(log.add({ created_at: new Date(noon - 25 * hour).toISOString() }))
    expect(problem.extra.errors).toEqual([
      { path: 'created_at', message: 'Older than the retention of runs (1 days)' },
    ])
  })
})

describe('the schema refuses', () => {
  const body = endpoints.report.body
  const invalid: [string, unknown, string][] = [
    ['no provider', { ...minimal, provider: undefined }, 'provider'],
    ['an empty model', { ...minimal, model: ' ' }, 'model'],
    ['a negative latency', { ...minimal, latency_ms: -1 }, 'latency_ms'],
    ['a latency of more than a day', { ...minimal, latency_ms: 86_400_001 }, 'latency_ms'],
    ['an infinite latency', { ...minimal, latency_ms: Number.POSITIVE_INFINITY }, 'latency_ms'],
    ['an unknown status', { ...minimal, status: 'failed' }, 'status'],
    ['a fractional token count', { ...minimal, prompt_tokens: 1.5 }, 'prompt_tokens'],
    ['a negative token count', { ...minimal, total_tokens: -1 }, 'total_tokens'],
    ['an unrealistic cost', { ...minimal, cost_usd: 10_001 }, 'cost_usd'],
    ['an unknown field', { ...minimal, user: 'mallory' }, ''],
    ['an id', { ...minimal, id: 7 }, ''],
    ['a source with spaces', { ...minimal, source: 'My App' }, 'source'],
    ['a long ref_key', { ...minimal, ref_key: 'x'.repeat(201) }, 'ref_key'],
    ['a long error', { ...minimal, error: 'x'.repeat(8193) }, 'error'],
    ['a time without a zone', { ...minimal, created_at: '2026-11-21T12:00:00' }, 'created_at'],
    ['params that are not an object', { ...minimal, params: 'x' }, 'params'],
  ]
  test.each(invalid)('%s', (_, report, path) => {
    const result = ReportSchema.safeParse(report)
    expect(result.success).toBe(false)
    expect(result.error?.issues[0]?.path.join('.')).toBe(path)
  })
  test('no run at all, and more than 500', () => {
    expect(body?.safeParse([]).success).toBe(false)
    expect(body?.safeParse(Array.from({ length: 501 }, () => minimal)).success).toBe(false)
    expect(body?.safeParse(Array.from({ length: 500 }, () => minimal)).success).toBe(true)
  })
})
