import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { serviceToken, startTestServer, type TestServer } from '../../support/service.ts'

const day = (date: number): string => `2026-01-0${date}T10:00:00.000Z`

describe('The events that a user has seen', () => {
  let server: TestServer
  let anna: string
  let bert: string
  beforeAll(async () => {
    server = await startTestServer()
    anna = (await server.signedIn('viewer', 'anna')).token
    bert = (await server.signedIn('viewer', 'bert')).token
  })
  afterAll(() => server.close())

  const seenBy = async (token: string) =>
    (await server.call('GET /api/alerts/seen', { token })).body.data.until
  const mark = (token: string, until: unknown) =>
    server.call('PUT /api/alerts/seen', { token, body: { until } })

  it('are stored for each user, in every session, and survive a restart', async () => {
    expect(await seenBy(anna)).toBeNull()
    expect((await mark(anna, day(2))).body).toEqual({ data: { until: day(2) } })
    expect(await seenBy(anna)).toBe(day(2))
    expect(await seenBy(await server.login('anna', 'a phrase of anna 1'))).toBe(day(2))
    expect(await seenBy(bert)).toBeNull()
    await server.restart()
    expect(await seenBy(anna)).toBe(day(2))
  })

  it('never become fewer, and never include the future', async () => {
    expect((await mark(anna, day(3))).body.data.until).toBe(day(3))
    expect((await mark(anna, day(1))).body.data.until).toBe(day(3))
    expect(await seenBy(anna)).toBe(day(3))
    const before = Date.now()
    const { until } = (await mark(bert, '2999-01-01T00:00:00.000Z')).body.data
    expect(Date.parse(until)).toBeGreaterThanOrEqual(before)
    expect(Date.parse(until)).toBeLessThanOrEqual(Date.now())
  })

  it('belong to the session of a user, need a valid time, and are not in the audit log', async () => {
    expect((await server.call('GET /api/alerts/seen', { token: serviceToken })).status).toBe(403)
    expect((await mark(serviceToken, day(2))).status).toBe(403)
    expect((await mark(anna, 'yesterday')).status).toBe(422)
    const { body } = await server.call('GET /api/audit?actor=anna&limit=200')
    const actions = body.data.map((entry: { action: string }) => entry.action)
    expect(actions.filter((action: string) => !action.startsWith('login'))).toEqual([])
  })
})
