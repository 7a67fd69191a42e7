import { describe, expect, it } from 'vitest'
import { serviceToken } from '../../support/service.ts'
import { connect } from '../live/live-support.ts'
import { alerts, setUpAlerts, stateOf } from './evaluation-support.ts'

setUpAlerts()

describe('other alerts on runs', () => {
  it('measure latency, cost and the workspace, also if the clock moves back', async () => {
    await alerts.server.call('POST /api/workspaces', { body: { name: 'Team Red' } })
    const create = async (body: object) => (await alerts.create(body)).id
    const p95 = await create({ kind: 'latency', threshold: 1000 })
    const avg = await create({ kind: 'latency', statistic: 'avg', threshold: 1000 })
    const cost = await create({ kind: 'cost', threshold: 2 })
    const red = await create({ kind: 'cost', threshold: 2, workspace: 'team-red' })
    await alerts.report(18, { latency_ms: 100 })
    await alerts.report(2, { latency_ms: 3000 })
    await alerts.report(1, { latency_ms: 100, cost_usd: 2.5, model: 'unpriced' })
    await alerts.minutes(1)
    const [ofP95, ofAvg, ofCost, ofRed] = await Promise.all([p95, avg, cost, red].map(stateOf))
    expect(ofP95.status).toBe('firing')
    expect(Math.abs(ofP95.value - 3000)).toBeLessThan(150)
    expect(ofAvg).toMatchObject({ status: 'ok', value: expect.closeTo(376, 0) })
    expect(ofCost).toMatchObject({ status: 'firing', value: expect.closeTo(2.5, 1) })
    expect(ofRed).toMatchObject({ status: 'ok', value: 0 })
    const [event] = await alerts.events(p95)
    const slow = await alerts.server.call(`GET /api${event.link}`)
    expect(slow.body.total).toBe(2)

    await alerts.server.call('DELETE /api/workspaces/team-red')
    await alerts.minutes(1)
    expect(await stateOf(red)).toMatchObject({
      status: 'no_data',
      reason: 'The workspace was deleted; choose another one.',
    })
    await alerts.minutes(15)
    alerts.advance(-86_400_000)
    await alerts.minutes(6)
    expect((await stateOf(cost)).status).toBe('ok')
  })

  it('notice that runs stopped, if runs are expected and the service could receive them', async () => {
    const filters = { ref_key: ['nightly'] }
    const { id } = await alerts.create({ kind: 'no_runs', threshold: 1, filters })
    const { id: unused } = await alerts.create({ kind: 'no_runs', threshold: 1, filters: { ref_key: ['x'] } })
    await alerts.report(1, { ref_key: 'nightly' })
    await alerts.minutes(10)
    expect(await stateOf(id)).toMatchObject({ status: 'ok', value: 1 })
    await alerts.server.restart()
    await alerts.minutes(8)
    expect(await stateOf(id)).toMatchObject({
      status: 'no_data',
      reason: 'The service has run for less than the period.',
    })
    await alerts.minutes(8)
    expect(await stateOf(id)).toMatchObject({ status: 'firing', value: 0 })
    expect(await stateOf(unused)).toMatchObject({
      status: 'no_data',
      reason: 'No run matched in the last 30 days.',
    })
  })

  it('notice a provider of which every call fails', async () => {
    const { id } = await alerts.create({ kind: 'provider_down', threshold: 3 })
    await alerts.minutes(1)
    expect(await stateOf(id)).toMatchObject({ status: 'no_data', reason: 'The period has no call.' })
    await alerts.report(5, { provider: 'openai', status: 'error' })
    await alerts.report(1, { provider: 'openai' })
    await alerts.report(2, { provider: 'claude', status: 'error' })
    await alerts.minutes(1)
    expect(await stateOf(id)).toMatchObject({ status: 'ok', value: 2 })
    await alerts.report(1, { provider: 'claude', status: 'error' })
    await alerts.minutes(1)
    const [event] = await alerts.events(id)
    expect(event).toMatchObject({ type: 'firing', value: 3 })
    expect(event.link).toContain('provider=claude&status=error')
  })

  it('notice the provider also among many with more calls', async () => {
    const { id } = await alerts.create({ kind: 'provider_down', threshold: 2 })
    for (let n = 0; n < 21; n += 1) await alerts.report(3, { provider: `busy-${n}` })
    await alerts.report(2, { provider: 'claude', status: 'error' })
    await alerts.minutes(1)
    expect(await stateOf(id)).toMatchObject({ status: 'firing', value: 2 })
  })

  it('compare the exact share of failed runs, not the rounded one that they show', async () => {
    const create = (threshold: number) => alerts.create({ kind: 'error_rate', threshold, min_runs: 3 })
    const [above, below] = [await create(33.33), await create(33.334)]
    await alerts.report(2)
    await alerts.report(1, { status: 'error' })
    await alerts.minutes(1)
    expect(await stateOf(above.id)).toMatchObject({ status: 'firing', value: 33.33 })
    expect((await stateOf(below.id)).status).toBe('ok')
  })
})

describe('an alert on clients', () => {
  it('fires when a connected SDK has an older version for longer than the period', async () => {
    const { call, url } = alerts.server
    const prompt = (await call('POST /api/prompts', { body: { key: 'greet', env: 'prod', content: 'One' } }))
      .body.data
    const peer = await connect(`${url.replace('http', 'ws')}/ws?client=node-sdk&app=shop&namespace=prod`, {
      authorization: `Bearer ${serviceToken}`,
    })
    await peer.next()
    peer.send({ type: 'hello', keys: ['greet'] })
    peer.send({ type: 'ack', seq: 0, key: 'greet', version: 'v1' })
    const acked = async () => (await call('GET /api/clients?app=shop')).body.data[0]?.acked.length
    await expect.poll(acked).toBe(1)
    const { id } = await alerts.create({ kind: 'client_behind', threshold: 1, period_minutes: 10 })
    const other = await alerts.create({ kind: 'client_behind', threshold: 1, filters: { ref_key: ['x'] } })
    await alerts.minutes(12)
    expect(await stateOf(id)).toMatchObject({ status: 'ok', value: 0 })

    await call(`PATCH /api/prompts/${prompt.id}`, { body: { content: 'Two' } })
    await call(`POST /api/prompts/${prompt.id}/publish`, { body: {} })
    await alerts.minutes(9)
    expect((await stateOf(id)).status).toBe('ok')
    await alerts.minutes(1)
    expect(await stateOf(id)).toMatchObject({ status: 'firing', value: 1 })
    expect((await stateOf(other.id)).status).toBe('ok')
    const [event] = await alerts.events(id)
    expect(event.link).toBe('/clients')
    peer.socket.close()
    await peer.closed
    await alerts.minutes(6)
    expect((await stateOf(id)).status).toBe('ok')
  })
})
