import { describe, expect, it } from 'vitest'
import { createScheduler } from '../../../server/features/alerts/scheduler.ts'
import { serviceToken } from '../../support/service.ts'
import { connect } from '../live/live-support.ts'
import { minute } from './alerts-support.ts'
import { alerts, setUpService } from './evaluation-support.ts'

setUpService()

describe('the evaluation', () => {
  it('announces a change to consoles, and replays it to one that reconnects', async () => {
    const { url } = alerts.server
    const open = () =>
      connect(`${url.replace('http', 'ws')}/ws?namespace=*`, { authorization: `Bearer ${serviceToken}` })
    const first = await open()
    const hello = await first.next()
    await alerts.create({ kind: 'cost', threshold: 1 })
    await alerts.report(1, { cost_usd: 5 })
    const countAlerts = () => first.frames.filter((frame) => frame.entity === 'alert').length
    await alerts.minutes(1)
    await expect.poll(countAlerts).toBeGreaterThan(1)
    const second = await open()
    second.send({ type: 'hello', namespace: '*', since_seq: hello.seq })
    await expect
      .poll(() => second.frames.filter((frame) => frame.entity === 'alert').length)
      .toBeGreaterThan(1)
    for (const peer of [first, second]) {
      peer.socket.close()
      await peer.closed
    }
  })

  it('states whether it runs, and lists its events by page', async () => {
    const evaluation = async () => (await alerts.server.call('GET /api/alerts')).body.evaluation
    await alerts.minutes(1)
    expect(await evaluation()).toEqual({
      status: 'running',
      reason: null,
      completed_at: alerts.now().toISOString(),
    })
    alerts.advance(4 * minute)
    expect(await evaluation()).toMatchObject({ status: 'late', reason: expect.any(String) })
    await alerts.tick()
    expect((await evaluation()).status).toBe('running')

    const page = async (query: string) => (await alerts.server.call(`GET /api/alerts/events?${query}`)).body
    const all = await page('limit=200')
    const one = await page('limit=3')
    const two = await page(`limit=200&cursor=${one.next_cursor}`)
    expect([...one.data, ...two.data]).toEqual(all.data)
    const firing = await page('type=firing&limit=200')
    expect(new Set(firing.data.map((event: { type: string }) => event.type))).toEqual(new Set(['firing']))
    const { created_at: from } = all.data[1]
    expect((await page(`from=${from}`)).total).toBe(2)
  })
})

describe('the timer', () => {
  it('evaluates nothing while runs cannot be stored, states why, and continues afterwards', async () => {
    const status: { state: 'open' | 'failed'; isFull: boolean } = { state: 'open', isFull: true }
    let tick = async () => {}
    let rounds = 0
    const scheduler = createScheduler({
      clock: {
        now: alerts.now,
        every(_ms, work) {
          tick = work
          return () => {}
        },
      },
      storeStatus: () => ({
        ...status,
        usedBytes: 0,
        limitBytes: 0,
        diskFullSince: null,
        committed: 0,
        synced: 0,
      }),
      evaluateAll: async () => {
        rounds += 1
      },
      deliverDue: async () => {},
      onError: (error) => expect.unreachable(String(error)),
    })
    scheduler.start()
    await tick()
    expect(rounds).toBe(0)
    expect(scheduler.evaluation()).toEqual({
      status: 'paused',
      reason: 'The store is full. Runs are not stored, so no alert is evaluated.',
      completed_at: null,
    })
    status.state = 'failed'
    expect(scheduler.evaluation().reason).toContain('not available')
    Object.assign(status, { state: 'open', isFull: false })
    await tick()
    await tick()
    expect(rounds).toBe(1)
    expect(scheduler.evaluation().status).toBe('running')
    await scheduler.close()
    await tick()
    expect(rounds).toBe(1)
  })
})
