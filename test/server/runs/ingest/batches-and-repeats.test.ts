import { describe, expect, test } from 'vitest'
import { day, hour, noon } from '../runs-support.ts'
import { batch, count, log, problemOf, setUpLog } from './ingest-support.ts'

setUpLog()

describe('a batch', () => {
  test('returns its ids in order, and is listed newest first', async () => {
    expect(await batch({ ref_key: 'a' }, { ref_key: 'b' }, { ref_key: 'c' })).toEqual([
      { id: 1 },
      { id: 2 },
      { id: 3 },
    ])
    const { data } = await log.runs.list(log.ctx(), { limit: 10 })
    expect(data.map((run) => run.ref_key)).toEqual(['c', 'b', 'a'])
  })

  test('names the invalid items, and stores nothing', async () => {
    const future = new Date(noon + hour).toISOString()
    const tooMuch = { big: 'x'.repeat(20_000) }
    const problem = await problemOf(batch({}, { created_at: future }, {}, { params: tooMuch }))
    expect(problem.extra.errors?.map(({ path }) => path)).toEqual(['1.created_at', '3.params'])
    expect(await count()).toBe(0)
  })

  test('with an unknown workspace stores nothing', async () => {
    const problem = await problemOf(batch({}, {}, { workspace_id: 'nowhere' }))
    expect(problem.status).toBe(422)
    expect(problem.extra.errors).toEqual([{ path: '2.workspace_id', message: 'Workspace not found' }])
    expect(await count()).toBe(0)
    expect((await log.runs.stats(log.ctx(), { interval: 'auto' })).total).toBe(0)
  })

  test('of 500 is one transaction', async () => {
    const before = log.db.status().committed
    await batch(...Array.from({ length: 500 }, (_, index) => ({ latency_ms: index })))
    expect(log.db.status().committed).toBe(before + 1)
    expect(await count()).toBe(500)
  })
})

describe('client_run_id', () => {
  test('repeated returns the first run, stored once', async () => {
    const first = await log.add({ client_run_id: 'x', ref_key: 'first' })
    const again = await log.add({ client_run_id: 'x', ref_key: 'second' })
    expect(again).toEqual(first)
    expect(await count()).toBe(1)
    expect((await log.runs.stats(log.ctx(), { interval: 'auto' })).total).toBe(1)
  })

  test('is separate for each principal', async () => {
    await log.add({ client_run_id: 'x' })
    await log.add({ client_run_id: 'x' }, { id: 'u2', name: 'finn' })
    await log.add({ client_run_id: 'x' }, { kind: 'service_token', id: null, name: 'service-token' })
    await log.add({ client_run_id: 'x' }, { kind: 'service_token', id: null, name: 'service-token' })
    expect(await count()).toBe(3)
  })

  test('repeated within a batch and across batches returns the first run', async () => {
    expect(await batch({ client_run_id: 'a' }, { client_run_id: 'b' }, { client_run_id: 'a' })).toEqual([
      { id: 1 },
      { id: 2 },
      { id: 1 },
    ])
    expect(await batch({ client_run_id: 'c' }, { client_run_id: 'b' })).toEqual([{ id: 3 }, { id: 2 }])
    expect(await count()).toBe(3)
  })

  test('sent concurrently is stored once', async () => {
    const runs = await Promise.all(Array.from({ length: 20 }, () => log.add({ client_run_id: 'same' })))
    expect(new Set(runs.map((run) => run.id))).toEqual(new Set([1]))
    expect(await count()).toBe(1)
  })

  test('can be reused after retention removed its run', async () => {
    const created_at = new Date(noon - 89 * day).toISOString()
    await log.add({ client_run_id: 'x', created_at })
    log.now = noon + 5 * day
    await log.runs.maintain()
    expect((await log.add({ client_run_id: 'x' })).id).toBe(2)
  })
})

describe('concurrent reports', () => {
  test('share transactions, get unique ids, and an invalid one does not affect others', async () => {
    const before = log.db.status().committed
    const results = await Promise.allSettled(
      Array.from({ length: 100 }, (_, index) =>
        log.add({ ref_key: `key-${index}`, workspace_id: index === 40 ? 'nowhere' : 'sales' }),
      ),
    )
    const stored = results.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []))
    expect(stored).toHaveLength(99)
    expect(new Set(stored.map((run) => run.id)).size).toBe(99)
    expect(await count()).toBe(99)
    expect(log.db.status().committed - before).toBeLessThan(20)
  })

  test('ids continue after retention emptied the log and the store was reopened', async () => {
    await log.add({ created_at: new Date(noon - 80 * day).toISOString() })
    log.settings = { ...log.settings, runRetentionDays: 1 }
    await log.runs.maintain()
    expect(await count()).toBe(0)
    expect((await log.add()).id).toBe(2)
  })
})
