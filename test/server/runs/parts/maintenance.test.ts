import { describe, expect, test, vi } from 'vitest'
import { startRunSchedule } from '../../../../server/features/runs/retention/schedule.ts'
import { createReadWriteLock } from '../../../../server/lib/async/read-write-lock.ts'
import { log, many, setUpLog } from '../read/read-support.ts'
import { at, day, minimal } from '../runs-support.ts'

function deferred() {
  let resolve = () => {}
  const promise = new Promise<void>((done) => {
    resolve = done
  })
  return { promise, resolve }
}

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
  setUpLog()
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

  test('compaction counts the runs that an earlier process left', async () => {
    for (let n = 0; n < 4; n += 1) await many(400, () => ({}))
    expect(await rollups()).toEqual([])
    const next = log.unshared()
    await next.start()
    await next.report(
      log.ctx(),
      Array.from({ length: 401 }, () => minimal),
    )
    await next.close()
    expect(await rollups()).not.toEqual([])
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
    for (let n = 0; n < 4; n += 1) await many(500, (index) => ({ created_at: at(-10 * day - index * 1000) }))
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
