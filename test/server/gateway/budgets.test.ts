import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { type GatewayTest, startGateway } from './gateway-support.ts'

/** Half an hour before midnight in Reykjavik and UTC, which is the morning of the next day in Auckland. */
const start = Date.parse('2026-11-25T23:30:00.000Z')
const minute = 60_000
let now = start
let gateway: GatewayTest
beforeAll(async () => {
  gateway = await startGateway({ substitutes: { clock: { now: () => new Date(now) } } })
})
afterAll(() => gateway.close())
beforeEach(() => {
  now = start
  gateway.models.reset()
})

const bodies = {
  'openai/v1/chat/completions': { model: 'gpt-4o-mini', messages: [{ role: 'user', content: 'Hi' }] },
  'anthropic/v1/messages': { model: 'm', max_tokens: 9, messages: [{ role: 'user', content: 'Hi' }] },
  'gemini/v1beta/models/m:generateContent': { contents: [{ role: 'user', parts: [{ text: 'Hi' }] }] },
  'ollama/api/chat': { model: 'm', stream: false, messages: [{ role: 'user', content: 'Hi' }] },
} as const
type Path = keyof typeof bodies
const chat = 'openai/v1/chat/completions'

const call = (token: string, path: Path = chat, headers: Readonly<Record<string, string>> = {}) =>
  gateway.call(path, bodies[path], { token, headers })

/** Makes a call, and waits until its run is stored: only then its use counts. */
async function counted(token: string, headers: Readonly<Record<string, string>> = {}) {
  const reply = await call(token, chat, headers)
  expect(reply.status).toBe(200)
  await reply.text()
  return gateway.run(reply.headers.get('promptdeck-run-id'))
}

const withBudget = (budget: object, fields: object = {}) =>
  gateway.createToken({ name: 'limited', gateway: true, budget, ...fields })

const states = async () => (await gateway.server.call('GET /api/budgets')).body.data

describe('a used budget', () => {
  it('refuses each protocol in its own form, with the time and the reason', async () => {
    const { id, token } = await withBudget({ tokens_per_day: 1 })
    const run = await counted(token)
    const shapes: Readonly<Record<Path, object>> = {
      'openai/v1/chat/completions': {
        error: { message: expect.any(String), type: 'rate_limit_error', param: null, code: 'budget.used_up' },
      },
      'anthropic/v1/messages': {
        type: 'error',
        error: { type: 'rate_limit_error', message: expect.any(String) },
        request_id: expect.any(String),
      },
      'gemini/v1beta/models/m:generateContent': {
        error: { code: 429, message: expect.any(String), status: 'RESOURCE_EXHAUSTED' },
      },
      'ollama/api/chat': { error: expect.any(String) },
    }
    for (const path of Object.keys(bodies) as Path[]) {
      const reply = await call(token, path)
      expect(reply.status).toBe(429)
      expect(reply.headers.get('retry-after')).toBe('1800')
      expect(reply.headers.get('x-should-retry')).toBe('false')
      const body = await reply.json()
      expect(body).toEqual(shapes[path])
      expect(JSON.stringify(body)).toContain(
        'The budget of the API token limited is used up: 1 tokens per day. Calls are accepted again at 2026-11-26T00:00:00.000Z.',
      )
    }
    expect(gateway.models.seen).toHaveLength(1)
    expect((await states()).find((state: { id: string }) => state.id === id)).toMatchObject({
      scope: 'token',
      state: 'used_up',
      time_zone: 'UTC',
      meters: [
        { limit: 'tokens_per_day', max: 1, used: run['total_tokens'], resets_at: '2026-11-26T00:00:00.000Z' },
      ],
    })
    // Midnight opens it again.
    now = Date.parse('2026-11-26T00:00:00.000Z')
    await counted(token)
  })

  it('counts a call before the next one of its caller, also while its input and output are stored', async () => {
    await gateway.server.call('PATCH /api/settings', { body: { capture: 'full' } })
    const { token } = await withBudget({ tokens_per_day: 1 })
    const statuses: number[] = []
    for (let n = 0; n < 3; n += 1) {
      const reply = await call(token)
      await reply.text()
      statuses.push(reply.status)
    }
    await gateway.server.call('PATCH /api/settings', { body: { capture: 'off' } })
    expect(statuses).toEqual([200, 429, 429])
  })

  it('counts requests exactly, also those that come at once', async () => {
    const { token } = await withBudget({ requests_per_minute: 3 })
    const replies = await Promise.all(Array.from({ length: 8 }, () => call(token)))
    await Promise.all(replies.map((reply) => reply.text()))
    expect(replies.map(({ status }) => status).toSorted()).toEqual([200, 200, 200, 429, 429, 429, 429, 429])
    expect(replies.find(({ status }) => status === 429)?.headers.get('retry-after')).toBe('60')
    now += minute
    await counted(token)
  })

  it('includes calls with tokens that the token creates', async () => {
    const { token } = await withBudget({ requests_per_minute: 2 }, { role: 'admin' })
    const body = { name: 'created', gateway: true }
    const created = (await gateway.server.call('POST /api/tokens', { token, body })).body.data.token
    for (const each of [created, token]) await counted(each)
    expect((await call(created)).status).toBe(429)
  })

  it('counts requests exactly when clocks of instances differ by a moment', async () => {
    const { token } = await withBudget({ requests_per_minute: 3 })
    const statuses: number[] = []
    for (const late of [false, true, false, true, false, true]) {
      now = late ? start + minute : start + minute - 1
      const reply = await call(token)
      await reply.text()
      statuses.push(reply.status)
    }
    // One began in the first minute, and three in the second.
    expect(statuses).toEqual([200, 200, 200, 200, 429, 429])
  })

  it('gives notice once in a period, in the audit log and as an event of alerts', async () => {
    const { id, token } = await withBudget({ tokens_per_day: 1, mode: 'warn' })
    for (let n = 0; n < 3; n += 1) await counted(token)
    const summary = 'The budget of the API token limited is used up: 1 tokens per day'
    const entries = await vi.waitFor(async () => {
      const { body } = await gateway.server.call(`GET /api/audit?resource_id=${id}&action=budget_warning`)
      expect(body.data).toHaveLength(1)
      return body.data
    })
    expect(entries[0]).toMatchObject({ actor_kind: 'system', resource: 'token', key: 'limited', summary })
    const { body } = await gateway.server.call(`GET /api/alerts/events?alert=token:${id}`)
    expect(body.data).toMatchObject([{ type: 'firing', kind: 'budget', threshold: 100, link: '/tokens' }])
    expect(body.data[0].value).toBeGreaterThanOrEqual(100)
  })

  it('gives notice again when a changed limit is reached in the same period', async () => {
    const { id, token } = await withBudget({ tokens_per_day: 1, mode: 'warn' })
    for (const budget of [{ tokens_per_day: 2, mode: 'warn' }, null]) {
      await counted(token)
      // The notice of the call is stored after its run.
      await vi.waitFor(async () => {
        const { body } = await gateway.server.call(`GET /api/audit?resource_id=${id}&action=budget_warning`)
        expect(body.data).toHaveLength(budget === null ? 2 : 1)
      })
      await gateway.server.call(`PATCH /api/tokens/${id}`, { body: { budget } })
    }
  })
})

describe('the budget of a workspace', () => {
  it('uses its time zone, and only admins change it', async () => {
    const created = await gateway.server.call('POST /api/workspaces', {
      body: { name: 'South', time_zone: 'Pacific/Auckland', budget: { tokens_per_day: 1 } },
    })
    expect(created).toMatchObject({ status: 201, body: { data: { time_zone: 'Pacific/Auckland' } } })
    const { slug } = created.body.data
    const place = { 'promptdeck-workspace': slug }
    await counted(gateway.token, place)
    const refused = await call(gateway.token, chat, place)
    expect(refused.status).toBe(429)
    // 11:00 on the next day is midnight in Auckland, which is 13 hours ahead in November.
    expect(refused.headers.get('retry-after')).toBe(String(11.5 * 3600))
    // Another workspace is not concerned.
    await counted(gateway.token)
    now = Date.parse('2026-11-26T11:00:00.000Z')
    await counted(gateway.token, place)

    const { token } = await gateway.server.signedIn('editor')
    const path = `PATCH /api/workspaces/${slug}`
    for (const body of [{ budget: null }, { time_zone: 'UTC' }])
      expect(await gateway.server.call(path, { token, body })).toMatchObject({ status: 403 })
    expect(await gateway.server.call(path, { token, body: { description: 'x' } })).toMatchObject({
      status: 200,
    })
    expect(await gateway.server.call(path, { body: { time_zone: 'Nowhere/Else' } })).toMatchObject({
      status: 422,
    })
  })
})

describe('the budget of all calls', () => {
  it('does not hide the budget of the token that rejects calls for longer', async () => {
    const { token } = await withBudget({ tokens_per_day: 1 })
    await counted(token)
    const set = (budget: object | null) => gateway.server.call('PATCH /api/settings', { body: { budget } })
    await set({ requests_per_minute: 1 })
    await counted(gateway.token)
    const refused = await call(token)
    await set(null)
    expect(refused.headers.get('retry-after')).toBe('1800')
    expect(await refused.text()).toContain(
      'The budget of the API token limited is used up: 1 tokens per day.',
    )
  })

  it('counts dollars of every token by month, and is removed by null', async () => {
    const set = (budget: object | null) => gateway.server.call('PATCH /api/settings', { body: { budget } })
    now = Date.parse('2026-12-31T20:00:00.000Z')
    expect(await set({ usd_per_month: 0.000001 })).toMatchObject({ status: 200 })
    const run = await counted(gateway.token)
    expect(run['cost_usd']).toBeGreaterThan(0.000001)
    const refused = await call((await withBudget({})).token)
    expect(refused.status).toBe(429)
    expect(await refused.json()).toMatchObject({
      error: {
        message: expect.stringContaining('The budget of all calls is used up: 0.000001 US dollars per month'),
      },
    })
    now = Date.parse('2027-01-01T00:00:00.000Z')
    await counted(gateway.token)
    expect(await set(null)).toMatchObject({ status: 200, body: { data: { budget: null } } })
    await counted(gateway.token)
    const { body } = await gateway.server.call('GET /api/audit?resource=setting&limit=5')
    expect(body.data.map(({ summary }: { summary: string }) => summary)).toEqual(
      expect.arrayContaining(['Set the budget of all calls', 'Removed the budget of all calls']),
    )
  })
})
