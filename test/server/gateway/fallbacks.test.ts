import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type GatewayTest, startGateway } from './gateway-support.ts'

let gateway: GatewayTest
beforeAll(async () => {
  gateway = await startGateway()
  const targets = (provider: string, ...models: string[]) => models.map((model) => ({ provider, model }))
  const body = {
    virtual_models: [
      { name: 'fast', targets: targets('openai', 'first', 'second', 'third'), timeout_ms: 300 },
      {
        name: 'any',
        targets: [
          ...targets('claude', 'c-1'),
          ...targets('gemini', 'g-1', 'g-2'),
          ...targets('ollama', 'o-1', 'o-2'),
        ],
      },
    ],
  }
  expect(await gateway.server.call('PATCH /api/settings', { body })).toMatchObject({ status: 200 })
})
afterAll(() => gateway.close())
beforeEach(() => gateway.models.reset())

const call: GatewayTest['call'] = (...request) => gateway.call(...request)

const messages = [{ role: 'user', content: 'Hi' }]
const chat = (body: object = {}) => call('openai/v1/chat/completions', { model: 'fast', messages, ...body })
const triedModels = () => gateway.models.seen.map(({ body }) => body['model'])
const idOf = (reply: Response) => reply.headers.get('promptdeck-run-id')

/** Returns the newest runs, the last one first. */
async function runs(count: number) {
  const { body } = await gateway.server.call(`GET /api/runs?limit=${count}&source=gateway`)
  return body.data
}

describe('a virtual model', () => {
  it.each([
    [{ status: 503 }, 'provider_error'],
    [{ status: 408 }, 'provider_error'],
    [{ status: 429 }, 'rate_limited'],
    [{ fault: 'silent' }, 'timeout'],
  ] as const)('tries the next model after %j, and logs each try', async (fault, type) => {
    gateway.models.plan(fault, {})
    const reply = await chat()
    expect(reply.status).toBe(200)
    expect((await reply.json()).choices).toHaveLength(1)
    expect(triedModels()).toEqual(['first', 'second'])
    const last = await gateway.run(idOf(reply))
    expect(last).toMatchObject({
      status: 'ok',
      model: 'second',
      metadata: { virtual_model: 'fast', attempt: 2 },
    })
    const [, failed] = await runs(2)
    expect(failed).toMatchObject({
      status: 'error',
      error_type: type,
      model: 'first',
      metadata: { virtual_model: 'fast', attempt: 1 },
    })
  })

  it('passes the last error on as it is', async () => {
    gateway.models.plan(
      { status: 503 },
      { status: 500 },
      { status: 429, body: '{"error":{"message":"own"}}' },
    )
    const reply = await chat()
    expect(reply.status).toBe(429)
    expect(await reply.text()).toBe('{"error":{"message":"own"}}')
    expect(triedModels()).toEqual(['first', 'second', 'third'])
    await gateway.run(idOf(reply))
  })

  it('does not try again after an error of the request, or when the reply has begun', async () => {
    gateway.models.plan({ status: 400 })
    expect((await chat()).status).toBe(400)
    gateway.models.plan({ fault: 'drop' })
    const stream = await chat({ stream: true })
    await stream.text().catch(() => undefined)
    expect(triedModels()).toEqual(['first', 'first'])
    expect(await gateway.run(idOf(stream))).toMatchObject({ status: 'error', model: 'first' })
  })

  it('that waits too long for a slot does not show its provider as failing', async () => {
    await (await chat()).text()
    await gateway.server.call('PATCH /api/providers/openai', { body: { concurrency: 1 } })
    gateway.models.plan({ fault: 'stall' })
    const controller = new AbortController()
    const headers = { authorization: `Bearer ${gateway.token}`, 'content-type': 'application/json' }
    const body = JSON.stringify({ model: 'm', messages, stream: true })
    const url = `${gateway.server.url}/gateway/openai/v1/chat/completions`
    const stalled = await fetch(url, { method: 'POST', headers, body, signal: controller.signal })
    const waiting = await chat()
    expect(waiting.status).toBe(504)
    expect(await gateway.run(idOf(waiting))).toMatchObject({ error_type: 'timeout' })
    const { body: provider } = await gateway.server.call('GET /api/providers/openai')
    controller.abort()
    await gateway.run(idOf(stalled))
    await gateway.server.call('PATCH /api/providers/openai', { body: { concurrency: null } })
    expect(provider.data.status).not.toBe('failing')
  })

  it('uses the targets of the protocol, with the model in the body or in the path', async () => {
    gateway.models.plan({ status: 500 }, {})
    const gemini = await call('gemini/v1beta/models/any:generateContent', {
      contents: [{ role: 'user', parts: [{ text: 'Hi' }] }],
    })
    expect(gemini.status).toBe(200)
    expect(await gateway.run(idOf(gemini))).toMatchObject({ provider: 'gemini', model: 'g-2' })
    gateway.models.plan({ status: 500 }, {})
    const ollama = await call('ollama/api/chat', { model: 'any', stream: false, messages })
    expect(await gateway.run(idOf(ollama))).toMatchObject({ provider: 'ollama', model: 'o-2' })
    const anthropic = await call('anthropic/v1/messages', { model: 'any', max_tokens: 9, messages })
    expect(await gateway.run(idOf(anthropic))).toMatchObject({ provider: 'claude', model: 'c-1' })
    const none = await call('openai/v1/chat/completions', { model: 'any', messages })
    expect(none.status).toBe(400)
    expect(await none.text()).toContain('No provider of the virtual model any uses the protocol of OpenAI.')
  })
})
