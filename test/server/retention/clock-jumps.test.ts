import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { advanced, type ClockState, resumed } from '../../../server/retention/clock-state.ts'
import { isOnPostgres } from '../../support/postgres/databases.ts'
import { startTestServer, type TestServer } from '../../support/service.ts'
import { controllableTime, day, hour, start } from './retention-support.ts'

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
      'system: Resumed deletion by age: the clock is correct again, or was steady for 24 hours',
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
