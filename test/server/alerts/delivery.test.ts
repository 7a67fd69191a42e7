import { createHmac } from 'node:crypto'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { maxAttempts, pauseAfter } from '../../../server/features/alerts/delivery/retries.ts'
import { type Receiver, startReceiver } from '../../support/http/webhook-receiver.ts'
import { minute, secret } from './alerts-support.ts'
import { alerts, setUpAlerts } from './evaluation-support.ts'

/** The addresses of host names, which a test may change. */
let addresses: string[] = []

setUpAlerts({
  env: { PUBLIC_URL: 'https://console.example.com/anything' },
  substitutes: { resolve: async () => addresses },
})

let receiver: Receiver
beforeEach(async () => {
  receiver = await startReceiver()
  addresses = ['127.0.0.1']
})
afterEach(() => receiver.close())

const createWithWebhook = (webhook: object = {}, body: object = {}) =>
  alerts.create({
    kind: 'cost',
    threshold: 1,
    webhook: { url: `${receiver.url}/hook?team=a`, secret, local: true, ...webhook },
    ...body,
  })
/** Lets the alert fire. */
const fire = async () => {
  await alerts.report(1, { cost_usd: 5 })
  await alerts.minutes(1)
}
const lastEvent = async (id: string) => (await alerts.events(id)).at(-1)

/** Verifies a delivery as docs/alerts.md describes it. */
function isSigned(header: unknown, body: string, key: string): boolean {
  const parts = String(header)
    .split(',')
    .map((part) => part.split('='))
  const time = parts.find(([name]) => name === 't')?.[1] ?? ''
  const expected = createHmac('sha256', key).update(`${time}.${body}`).digest('hex')
  return parts.some(([name, value]) => name === 'v1' && value === expected)
}

describe('a delivery', () => {
  it('is a signed POST with the event, its value and a link to the console', async () => {
    const { id } = await createWithWebhook()
    await fire()
    const [delivery, ...others] = receiver.deliveries
    expect(others).toEqual([])
    const event = await lastEvent(id)
    expect(delivery).toMatchObject({ method: 'POST', path: '/hook?team=a' })
    expect(delivery?.headers['content-type']).toBe('application/json')
    expect(delivery?.body).toEqual({
      id: event.id,
      type: 'alert.firing',
      at: event.created_at,
      alert: {
        id,
        name: 'An alert',
        kind: 'cost',
        statistic: null,
        workspace_id: null,
        period_minutes: 15,
      },
      value: 5,
      threshold: 1,
      link: `https://console.example.com/anything${event.link}`,
    })
    const header = delivery?.headers['promptdeck-signature']
    expect(header).toMatch(/^t=\d{10},v1=[0-9a-f]{64}$/)
    expect(header).toContain(`t=${Math.floor(alerts.now().getTime() / 1000)},`)
    expect(isSigned(header, delivery?.text ?? '', secret)).toBe(true)
    expect(isSigned(header, `${delivery?.text} `, secret)).toBe(false)
    expect(event.delivery).toEqual({
      status: 'delivered',
      attempts: [
        { at: alerts.now().toISOString(), status: 204, error: null, duration_ms: expect.any(Number) },
      ],
      next_attempt_at: null,
    })

    await alerts.minutes(30)
    expect(receiver.deliveries.map(({ body }) => body.type)).toEqual(['alert.firing', 'alert.resolved'])
  })

  it('is signed with both secrets for a day after a change', async () => {
    const { id } = await createWithWebhook()
    const next = `${secret}-2`
    await alerts.server.call(`PATCH /api/alerts/${id}`, { body: { webhook: { secret: next } } })
    await fire()
    const [first] = receiver.deliveries
    const signedBy = (delivery = first) =>
      [next, secret].map((key) =>
        isSigned(delivery?.headers['promptdeck-signature'], delivery?.text ?? '', key),
      )
    expect(signedBy()).toEqual([true, true])
    alerts.advance(24 * 60 * minute)
    await alerts.minutes(10)
    expect(signedBy(receiver.deliveries[1])).toEqual([true, false])
  })

  it('is retried with growing pauses, also after a restart, and then fails', async () => {
    const { id } = await createWithWebhook()
    receiver.reply = { status: 503 }
    await fire()
    let event = await lastEvent(id)
    expect(event.delivery).toMatchObject({
      status: 'pending',
      attempts: [{ status: 503, error: 'The receiver replied 503' }],
    })
    await alerts.tick()
    expect(receiver.deliveries.length).toBe(1)

    await alerts.server.restart()
    const pauses: number[] = []
    while (event.delivery.status === 'pending') {
      const pause = Date.parse(event.delivery.next_attempt_at) - alerts.now().getTime()
      pauses.push(pause)
      alerts.advance(pause)
      await alerts.tick()
      event = (await alerts.events(id))[0]
    }
    expect(event.delivery).toMatchObject({ status: 'failed', next_attempt_at: null })
    expect(event.delivery.attempts.length).toBe(9)
    const firing = receiver.deliveries.filter(({ body }) => body.type === 'alert.firing')
    expect(firing.length).toBe(9)
    expect(new Set(firing.map(({ text }) => text)).size).toBe(1)
    expect(new Set(firing.map(({ headers }) => headers['promptdeck-signature'])).size).toBe(9)
    const base = [10, 30, 120, 600, 1800, 3600, 7200, 14_400].map((seconds) => seconds * 1000)
    for (const [index, pause] of pauses.entries()) {
      expect(pause).toBeGreaterThanOrEqual(base[index] ?? 0)
      expect(pause).toBeLessThanOrEqual((base[index] ?? 0) * 1.25 + 1)
    }
  })

  it.each([1, -1440])('succeeds at a later attempt, %s minutes after', async (minutes) => {
    const { id } = await createWithWebhook()
    receiver.reply = { status: 500 }
    await fire()
    receiver.reply = { status: 200 }
    alerts.advance(minutes * minute)
    await alerts.tick()
    expect((await lastEvent(id)).delivery).toMatchObject({
      status: 'delivered',
      attempts: [{ status: 500 }, { status: 200, error: null }],
    })
  })

  it('does not follow a redirect', async () => {
    const { id } = await createWithWebhook()
    receiver.reply = { status: 302, headers: { location: `${receiver.url}/elsewhere` } }
    await fire()
    expect(receiver.deliveries.map(({ path }) => path)).toEqual(['/hook?team=a'])
    expect((await lastEvent(id)).delivery.attempts[0]).toMatchObject({
      status: 302,
      error: 'The receiver replied 302; redirects are not followed',
    })
  })

  it('fails if the receiver switches to another protocol, and does not stop others', async () => {
    const other = await createWithWebhook()
    const { id } = await createWithWebhook()
    receiver.reply = { status: 101, headers: { connection: 'upgrade', upgrade: 'x' } }
    await fire()
    for (const each of [id, other.id])
      expect((await lastEvent(each)).delivery.attempts[0]).toMatchObject({
        status: null,
        error: expect.stringMatching(/replied 101, which was not requested$/),
      })
  })

  it('is not sent to an address that the name has only since it was saved', async () => {
    addresses = ['93.184.216.34']
    const { port } = new URL(receiver.url)
    const { id } = await createWithWebhook({ url: `https://hooks.example.com:${port}/`, local: false })
    addresses = ['127.0.0.1']
    await fire()
    expect(receiver.deliveries).toEqual([])
    expect((await lastEvent(id)).delivery.attempts[0]).toMatchObject({
      status: null,
      error: expect.stringContaining('only a webhook that is marked as local can use it'),
    })
  })

  it('stops when its webhook is removed or its alert deleted', async () => {
    const kept = await createWithWebhook()
    const deleted = await createWithWebhook()
    receiver.reply = { status: 500 }
    await fire()
    await alerts.server.call(`PATCH /api/alerts/${kept.id}`, { body: { webhook: null } })
    await alerts.server.call(`DELETE /api/alerts/${deleted.id}`)
    await alerts.minutes(3)
    expect(receiver.deliveries.length).toBe(2)
    for (const { id } of [kept, deleted]) {
      expect((await alerts.events(id))[0].delivery).toMatchObject({ status: 'failed', next_attempt_at: null })
    }
  })

  it('reports an unreachable receiver', async () => {
    const { id } = await createWithWebhook()
    await receiver.close()
    await fire()
    expect((await lastEvent(id)).delivery.attempts[0]).toMatchObject({
      status: null,
      error: 'The receiver could not be reached (ECONNREFUSED)',
    })
    receiver = await startReceiver()
  })
})

describe('a test delivery', () => {
  it('is sent once, is not in the history, and returns the result', async () => {
    const { id } = await createWithWebhook()
    const test = async () => (await alerts.server.call(`POST /api/alerts/${id}/test`)).body.data
    expect(await test()).toMatchObject({
      ok: true,
      message: 'Delivered: the receiver replied 204.',
      status: 204,
    })
    const [delivery] = receiver.deliveries
    expect(delivery?.body).toMatchObject({ type: 'alert.test', value: null, alert: { id } })
    expect(isSigned(delivery?.headers['promptdeck-signature'], delivery?.text ?? '', secret)).toBe(true)
    receiver.reply = { status: 401 }
    expect(await test()).toMatchObject({
      ok: false,
      message: 'Not delivered. The receiver replied 401.',
      status: 401,
    })
    await alerts.minutes(1)
    expect(receiver.deliveries.length).toBe(2)
    expect(await alerts.events(id)).toEqual([])
  })
})

describe('the pauses between attempts', () => {
  it('are bounded, with jitter on top', () => {
    expect(pauseAfter(1, () => 0)).toBe(10_000)
    expect(pauseAfter(1, () => 1)).toBe(12_500)
    expect(pauseAfter(maxAttempts)).toBeNull()
  })
})
