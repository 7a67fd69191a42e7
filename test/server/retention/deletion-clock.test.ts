import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { advanced, type ClockState, resumed } from '../../../server/retention/clock-state.ts'
import { createDeletionClock, type DeletionClock } from '../../../server/retention/deletion-clock.ts'
import { isOnPostgres } from '../../support/postgres/databases.ts'
import { startTestServer, type TestServer } from '../../support/service.ts'
import { type Log, newDataDir, openLog, quiet, removeDataDir } from '../audit/audit-support.ts'

const hour = 3_600_000
const day = 24 * hour
const start = Date.parse('2026-11-21T09:00:00.000Z')

/** A wall clock and a monotonic clock that a test can set apart. */
function controllableTime() {
  let wallMs = start
  let monotonicMs = 5000
  return {
    clock: { now: () => new Date(wallMs), monotonicMs: () => monotonicMs },
    /** Advances both clocks. */
    run(ms: number) {
      wallMs += ms
      monotonicMs += ms
    },
    /** Changes only the wall clock, as after a manual change or a suspended machine. */
    jump(ms: number) {
      wallMs += ms
    },
  }
}

describe('the state of the clock', () => {
  const at = (wallMs: number, monotonicMs: number) => ({ wallMs, monotonicMs })

  it('does not pause while the clock stays within a day of the elapsed time', () => {
    const step = fc.record({ ran: fc.nat(30 * day), drift: fc.integer({ min: -day, max: day }) })
    fc.assert(
      fc.property(fc.array(step, { maxLength: 50 }), (steps) => {
        let state: ClockState = resumed(null, at(start, 0))
        for (const { ran, drift } of steps) {
          const { wallMs, monotonicMs } = state.last
          state = advanced(state, at(wallMs + ran + drift, monotonicMs + ran))
          expect(state.pause).toBeNull()
        }
      }),
    )
  })

  it('pauses after every jump beyond a day, in either direction, until the service ran for a day', () => {
    const jump = fc.oneof(
      fc.integer({ min: day + 1, max: 10_000 * day }),
      fc.integer({ min: -10_000 * day, max: -day - 1 }),
    )
    const runs = fc.array(fc.integer({ min: 1, max: 6 * hour }), { minLength: 1, maxLength: 40 })
    fc.assert(
      fc.property(jump, runs, (drift, steps) => {
        let state = advanced(resumed(null, at(start, 0)), at(start + hour + drift, hour))
        let ran = 0
        for (const ms of steps) {
          expect(state.pause === null).toBe(ran >= day)
          const { wallMs, monotonicMs } = state.last
          state = advanced(state, at(wallMs + ms, monotonicMs + ms))
          ran += ms
        }
      }),
    )
  })
})

describe('the deletion clock', () => {
  let dataDir: string
  let log: Log
  let time: ReturnType<typeof controllableTime>
  let deletion: DeletionClock
  const open = async () => {
    log = await openLog(dataDir)
    let ids = 0
    const { db, history } = log
    deletion = await createDeletionClock({
      db,
      history,
      clock: time.clock,
      newId: () => `id-${++ids}`,
      logger: quiet,
    })
  }
  const close = async () => {
    await deletion.close()
    await log.close()
  }
  beforeEach(async () => {
    dataDir = await newDataDir()
    time = controllableTime()
    await open()
  })
  afterEach(async () => {
    await close()
    await removeDataDir(dataDir)
  })
  const entries = async () => {
    await close()
    await open()
    const rows = await log.db.read
      .selectFrom('audit')
      .select(['actor', 'summary'])
      .where('resource', '=', 'setting')
      .orderBy('id')
      .execute()
    return rows.map((row) => `${row.actor}: ${row.summary}`)
  }

  it('is the wall clock while that is steady', () => {
    for (const ms of [hour, 5 * day, 400 * day]) {
      time.run(ms)
      expect(deletion.now()).toEqual(time.clock.now())
    }
    time.jump(-23 * hour)
    expect(deletion.now()).toEqual(time.clock.now())
    expect(deletion.state()).toEqual({
      status: 'running',
      service_time: time.clock.now().toISOString(),
      paused_at: null,
      clock_shift_ms: null,
      resumes_in_ms: null,
      reason: null,
    })
  })

  it.each([
    ['forward', 400 * day, /the clock is 400 days ahead of the time the service ran, or the machine was off/],
    ['backward', -30 * day, /the clock moved back by 30 days/],
  ])(
    'pauses after a jump %s, reports why, and resumes after a day without a jump',
    async (_, jump, reason) => {
      time.run(hour)
      time.jump(jump)
      expect(deletion.now()).toBeNull()
      expect(deletion.state()).toMatchObject({
        status: 'paused',
        paused_at: time.clock.now().toISOString(),
        clock_shift_ms: jump,
        resumes_in_ms: day,
        reason: expect.stringMatching(reason),
      })
      time.run(23 * hour)
      expect(deletion.now()).toBeNull()
      expect(deletion.state().resumes_in_ms).toBe(hour)
      time.run(hour)
      expect(deletion.now()).toEqual(time.clock.now())
      expect(await entries()).toEqual([
        expect.stringMatching(/^system: Paused deletion by age: the clock/),
        'system: Resumed deletion by age: the clock has been steady for 24 hours',
      ])
    },
  )

  it('restarts the day without a jump after another jump', () => {
    time.jump(10 * day)
    expect(deletion.now()).toBeNull()
    time.run(23 * hour)
    expect(deletion.now()).toBeNull()
    time.jump(10 * day)
    expect(deletion.now()).toBeNull()
    time.run(23 * hour)
    expect(deletion.now()).toBeNull()
    time.run(hour)
    expect(deletion.now()).not.toBeNull()
  })

  it('resumes immediately when the clock is corrected', async () => {
    time.jump(3650 * day)
    expect(deletion.now()).toBeNull()
    time.run(hour)
    time.jump(-3650 * day)
    expect(deletion.now()).toEqual(time.clock.now())
    expect(await entries()).toHaveLength(2)
  })

  it('resumes when an admin confirms, and records the actor', async () => {
    time.jump(400 * day)
    expect(deletion.now()).toBeNull()
    expect(await deletion.resume(log.ctx())).toMatchObject({ status: 'running' })
    expect(deletion.now()).toEqual(time.clock.now())
    // A second confirmation is not recorded.
    await deletion.resume(log.ctx())
    expect(await entries()).toEqual([
      expect.stringMatching(/^system: Paused/),
      'edda: Resumed deletion by age: the clock was confirmed',
    ])
  })

  it('detects a jump while the service was off, regardless of elapsed time after a start', async () => {
    for (const jump of [3 * day, -3 * day]) {
      time.run(day)
      await close()
      time.jump(jump)
      await open()
      expect(deletion.now()).toBeNull()
      await deletion.resume(log.ctx())
    }
    expect((await entries()).filter((entry) => entry.startsWith('system: Paused'))).toHaveLength(2)
  })

  it('does not treat a night without power as a jump', async () => {
    await close()
    time.jump(16 * hour)
    await open()
    expect(deletion.now()).toEqual(time.clock.now())
    expect(await entries()).toEqual([])
  })

  it('stores and records nothing on an instance that is not the leader, which follows the leader', async () => {
    const { db, history } = log
    const otherTime = controllableTime()
    const other = await createDeletionClock({
      ...{ db, history, logger: quiet },
      clock: otherTime.clock,
      newId: () => 'id-of-other',
      isLeader: () => false,
    })
    time.jump(400 * day)
    expect(deletion.now()).toBeNull()
    const followed = async () => {
      await other.reload()
      return other.now()
    }
    await expect.poll(followed).toBeNull()
    // An admin may confirm the clock on any instance.
    await other.resume(log.ctx())
    await deletion.reload()
    expect(deletion.now()).toEqual(time.clock.now())
    otherTime.jump(400 * day)
    expect(other.now()).toBeNull()
    await other.close()
    expect(await entries()).toEqual([
      expect.stringMatching(/^system: Paused/),
      'edda: Resumed deletion by age: the clock was confirmed',
    ])
  })

  it('counts running time without a jump across restarts, and keeps a pause', async () => {
    time.jump(400 * day)
    expect(deletion.now()).toBeNull()
    for (let start = 0; start < 3; start += 1) {
      time.run(7 * hour)
      expect(deletion.now()).toBeNull()
      await close()
      time.jump(10 * hour)
      await open()
      expect(deletion.now()).toBeNull()
    }
    time.run(3 * hour)
    expect(deletion.now()).toEqual(time.clock.now())
  })

  it('compares a store without a recorded time with its newest entry', async () => {
    await log.record()
    await log.db.write(async (tx) => {
      await tx.q.deleteFrom('meta').where('key', 'like', 'clock_%').execute()
    })
    // The state as an older version leaves it.
    const { close: closeLog } = log
    await closeLog()
    time.jump(40 * day)
    await open()
    expect(deletion.now()).toBeNull()
  })
})

describe('a service whose clock jumps', () => {
  let server: TestServer
  let time: ReturnType<typeof controllableTime>
  beforeEach(async () => {
    time = controllableTime()
    server = await startTestServer({
      env: { BACKUPS_KEPT: '2' },
      substitutes: { clock: time.clock },
    })
  })
  afterEach(() => server.close())

  const health = async () => (await server.call('GET /health', { token: null })).body.deletion
  /** A number of backups; 0 on a database, which makes them itself. */
  const backups = (count: number): number => (isOnPostgres ? 0 : count)
  /** Creates a backup, and returns how many there are. */
  const backedUp = async (): Promise<number> => {
    await server.call('POST /api/backups')
    return (await server.call('GET /api/backups')).body.total
  }
  const settingEntries = async () =>
    (await server.call('GET /api/audit?resource=setting&key=deletion')).body.data.map(
      (entry: { actor: string; summary: string }) => `${entry.actor}: ${entry.summary}`,
    )

  it("reports it in health, audit log and settings, deletes nothing, and continues after an admin's confirmation", async () => {
    const run = { provider: 'openai', model: 'm', latency_ms: 1, status: 'ok' }
    await server.call('POST /api/runs', { body: run })
    for (let n = 1; n <= 2; n += 1) expect(await backedUp()).toBe(backups(n))
    const created = await server.call('POST /api/prompts', { body: { key: 'kept', content: 'x' } })
    await server.call(`DELETE /api/prompts/${created.body.data.id}`)
    const { token } = await server.signedIn('editor')
    expect(await health()).toBeUndefined()

    time.jump(4000 * day)
    expect(await health()).toEqual({
      status: 'paused',
      reason: expect.stringMatching(/^Nothing is deleted by age: the clock is 4000 days ahead/),
    })
    const state = (await server.call('GET /api/settings/deletion')).body.data
    expect(state).toMatchObject({ status: 'paused', clock_shift_ms: 4000 * day, resumes_in_ms: day })
    // Surplus backups remain during the pause.
    expect(await backedUp()).toBe(backups(3))
    // All deletion by age runs once at a stop or a start.
    await server.restart()
    expect(await health()).toMatchObject({ status: 'paused' })
    expect((await server.call('GET /api/runs')).body.total).toBe(1)
    expect((await server.call('GET /api/prompts?include=deleted')).body.total).toBe(1)
    // The session expired by the clock; it is not deleted, and is valid again once the clock is correct.
    expect((await server.call('GET /api/me', { token })).status).toBe(401)
    time.jump(-4000 * day)
    expect((await server.call('GET /api/me', { token })).status).toBe(200)
    expect(await health()).toBeUndefined()

    time.jump(400 * day)
    expect(await health()).toMatchObject({ status: 'paused' })
    const reply = await server.call('POST /api/settings/deletion/resume')
    expect(reply).toMatchObject({ status: 200, body: { data: { status: 'running', reason: null } } })
    await expect
      .poll(async () => {
        await server.call('PATCH /api/settings', { body: { run_retention_days: 80 } })
        await server.call('PATCH /api/settings', { body: { run_retention_days: 90 } })
        return (await server.call('GET /api/runs')).body.total
      })
      .toBe(0)
    expect(await backedUp()).toBe(backups(2))
    expect(await settingEntries()).toEqual([
      'service-token: Resumed deletion by age: the clock was confirmed',
      expect.stringMatching(/^system: Paused deletion by age: the clock is 400 days ahead/),
      'system: Resumed deletion by age: the clock has been steady for 24 hours',
      expect.stringMatching(/^system: Paused deletion by age: the clock is 4000 days ahead/),
    ])
  })

  it('can be read and confirmed by admins only', async () => {
    const { token } = await server.signedIn('editor')
    for (const what of ['GET /api/settings/deletion', 'POST /api/settings/deletion/resume']) {
      expect((await server.call(what, { token })).status).toBe(403)
    }
    expect(await readdir(join(server.dataDir, 'store'))).not.toEqual([])
  })
})
