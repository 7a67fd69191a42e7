import { describe, expect, it } from 'vitest'
import { createScheduler } from '../../../server/features/alerts/scheduler.ts'
import { serviceToken } from '../../support/service.ts'
import { connect } from '../live/live-support.ts'
import { minute } from './alerts-support.ts'
import { alerts, setUpAlerts, stateOf } from './evaluation-support.ts'

setUpAlerts()

const typesOf = (events: { type: string; resolution: string | null }[]) =>
  events.map(({ type, resolution }) => (resolution === null ? type : `${type} ${resolution}`))

describe('an alert on the error rate', () => {
  const filters = { ref_key: ['billing'] }
  const errors = { status: 'error', ref_key: 'billing' }
  const successes = { status: 'ok', ref_key: 'billing' }

  it('fires once, links to the failed runs, and is resolved after five minutes within the threshold', async () => {
    const { id } = await alerts.create({ kind: 'error_rate', threshold: 5, filters, desktop: true })
    await alerts.report(9, successes)
    await alerts.report(1, errors)
    await alerts.report(50, { status: 'error', ref_key: 'other' })
    await alerts.minutes(3)
    const [event, ...others] = await alerts.events(id)
    expect(others).toEqual([])
    expect(event).toMatchObject({
      type: 'firing',
      alert_id: id,
      alert_name: 'An alert',
      value: 10,
      threshold: 5,
      resolution: null,
      desktop: true,
      delivery: null,
    })
    const link = new URL(event.link, 'http://console')
    expect(Object.fromEntries(link.searchParams)).toMatchObject({ status: 'error', ref_key: 'billing' })
    const rows = await alerts.server.call(`GET /api${link.pathname}${link.search}`)
    expect(rows.body.total).toBe(1)

    await alerts.report(90, successes)
    await alerts.minutes(5)
    expect(await stateOf(id)).toMatchObject({ status: 'firing', value: 1 })
    await alerts.minutes(1)
    expect(typesOf(await alerts.events(id))).toEqual(['firing', 'resolved recovered'])
    expect(await stateOf(id)).toMatchObject({ status: 'ok', value: 1, reason: null })
  })

  it('does not flap while the value moves around the threshold', async () => {
    const { id } = await alerts.create({ kind: 'error_rate', threshold: 10, filters })
    await alerts.report(9, successes)
    const values: number[] = []
    const read = async () => {
      await alerts.minutes(2)
      values.push((await stateOf(id)).value)
    }
    for (const [failed, succeeded] of [
      [2, 40],
      [20, 300],
      [60, 400],
    ] as const) {
      await alerts.report(failed, errors)
      await read()
      await alerts.report(succeeded, successes)
      await read()
    }
    expect(values.map((value) => value > 10)).toEqual([true, false, true, false, true, false])
    expect(typesOf(await alerts.events(id))).toEqual(['firing'])
  })

  it('states that it has too little data instead of firing, and keeps firing without data', async () => {
    const { id } = await alerts.create({ kind: 'error_rate', threshold: 5, filters })
    await alerts.report(3, errors)
    await alerts.minutes(1)
    expect(await stateOf(id)).toMatchObject({
      status: 'no_data',
      value: null,
      reason: 'The period has 3 runs; the alert needs 10.',
    })
    await alerts.report(7, errors)
    await alerts.minutes(1)
    expect((await stateOf(id)).status).toBe('firing')
    await alerts.minutes(20)
    expect(await stateOf(id)).toMatchObject({ status: 'firing', reason: expect.stringContaining('0 runs') })
    expect(typesOf(await alerts.events(id))).toEqual(['firing'])
  })

  it('survives a restart without a second event', async () => {
    const { id } = await alerts.create({ kind: 'error_rate', threshold: 5, filters })
    await alerts.report(20, errors)
    await alerts.minutes(1)
    await alerts.server.restart()
    await alerts.minutes(2)
    expect(typesOf(await alerts.events(id))).toEqual(['firing'])
    expect((await stateOf(id)).status).toBe('firing')
  })

  it('is resolved by a change of its condition, by disabling and by deletion', async () => {
    const create = async () => (await alerts.create({ kind: 'error_rate', threshold: 5, filters })).id
    const ids = [await create(), await create(), await create(), await create()] as const
    const [changed, stillTrue, disabled, deleted] = ids
    await alerts.report(20, errors)
    await alerts.report(20, successes)
    await alerts.minutes(1)
    const call = alerts.server.call
    await call(`PATCH /api/alerts/${changed}`, { body: { threshold: 90 } })
    await call(`PATCH /api/alerts/${stillTrue}`, { body: { threshold: 20 } })
    await call(`PATCH /api/alerts/${disabled}`, { body: { enabled: false } })
    await call(`DELETE /api/alerts/${deleted}`)
    await alerts.minutes(1)
    const histories = await Promise.all(ids.map(async (id) => typesOf(await alerts.events(id))))
    expect(histories).toEqual([
      ['firing', 'resolved changed'],
      ['firing'],
      ['firing', 'resolved disabled'],
      ['firing', 'resolved deleted'],
    ])
  })
})

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
