import { afterAll, beforeAll, expect, it } from 'vitest'
import { type ModelServer, startModelServer } from '../support/model-server/server.ts'
import { type Instances, serverAt, startInstances } from './instances.ts'

const key = 'sk-canary-provider-0123456789abcdefghij'
/** The clock of the instances begins a minute, so that no other one begins during a test. */
const sinceMinute = Date.now() % 60_000
const clock = { now: () => new Date(Date.now() - sinceMinute) }
let instances: Instances
let models: ModelServer
beforeAll(async () => {
  models = await startModelServer({ key })
  instances = await startInstances(2, { substitutes: { clock } })
  const body = { base_url: `${models.url}/v1`, local: true, enabled: true, api_key: key, concurrency: 1 }
  expect(await at(0).call('PATCH /api/providers/openai', { body })).toMatchObject({ status: 200 })
})
afterAll(async () => {
  await instances.close()
  await models.close()
})

const at = (index: number) => serverAt(instances.servers, index)

async function tokenWith(budget: object | null): Promise<string> {
  const reply = await at(0).call('POST /api/tokens', { body: { name: 'app', gateway: true, budget } })
  expect(reply.status).toBe(201)
  return reply.body.data.token
}

const call = (index: number, token: string, options: { stream?: boolean; signal?: AbortSignal } = {}) =>
  fetch(`${at(index).url}/gateway/openai/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify({
      model: 'gpt-4o-mini',
      messages: [{ role: 'user', content: 'Hi' }],
      stream: options.stream ?? false,
    }),
    ...(options.signal && { signal: options.signal }),
  })

it('a budget counts the requests of all instances exactly', async () => {
  const token = await tokenWith({ requests_per_minute: 3 })
  const replies = await Promise.all(Array.from({ length: 12 }, (_, index) => call(index % 2, token)))
  await Promise.all(replies.map((reply) => reply.text()))
  expect(replies.filter(({ status }) => status === 200)).toHaveLength(3)
})

it('a rejected call does not wait for a slot of the provider', async () => {
  const [free, limited] = [await tokenWith(null), await tokenWith({ requests_per_minute: 1 })]
  await (await call(0, limited)).text()
  const { length: earlier } = models.seen
  models.plan({ fault: 'stall' })
  const caller = new AbortController()
  const stalled = await call(0, free, { stream: true, signal: caller.signal })
  await models.request(earlier)
  const replies = await Promise.all(Array.from({ length: 9 }, () => call(0, limited)))
  await Promise.all(replies.map((reply) => reply.text()))
  expect(replies.every(({ status }) => status === 429)).toBe(true)
  expect((await at(0).call('GET /metrics')).text).toMatch(/^promptdeck_provider_queue 0$/m)
  caller.abort()
  await stalled.text().catch(() => null)
})
