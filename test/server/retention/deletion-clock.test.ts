import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createDeletionClock, type DeletionClock } from '../../../server/retention/deletion-clock.ts'
import { type Log, newDataDir, openLog, quiet, removeDataDir } from '../audit/audit-support.ts'
import { controllableTime, day, hour } from './retention-support.ts'

describe('the deletion clock', () => {
  let dataDir: string
  let log: Log
  let time: ReturnType<typeof controllableTime>
  let deletion: DeletionClock
  const openClock = async () => {
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
  const open = async () => {
    log = await openLog(dataDir)
    await openClock()
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
  /** Returns what is recorded when the clock has written everything. */
  const entries = async () => {
    await deletion.close()
    await openClock()
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
        'system: Resumed deletion by age: the clock is correct again, or was steady for 24 hours',
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
      db,
      history,
      logger: quiet,
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
