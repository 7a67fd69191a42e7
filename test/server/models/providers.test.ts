import { createServer } from 'node:http'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { GenerateRequest } from '../../../server/models/model.ts'
import { listen } from '../../support/http/loopback.ts'
import { type ModelServer, startModelServer } from '../../support/model-server/server.ts'
import { cases, choice, key, modelsAt, outcome, requestOf } from './models-support.ts'
import { failures } from './provider-failures.ts'

let server: ModelServer
beforeAll(async () => {
  server = await startModelServer({ key })
})
afterAll(() => server.close())
beforeEach(() => server.reset())

const schema = {
  type: 'object',
  properties: { city: { type: 'string' }, degrees: { type: 'integer' } },
  required: ['city', 'degrees'],
  additionalProperties: false,
}
const tools = [{ name: 'find_weather', description: 'Looks out of the window', parameters: schema }]

describe.each(cases)('$name', ({ name, wire, model, usage }) => {
  const run = (change: Partial<GenerateRequest> = {}) =>
    outcome(modelsAt(server.url, {}, { stallMs: 250 }), name, requestOf(model, change))

  it('streams a reply, then its finish reason and usage', async () => {
    const got = await run()
    expect(got).toMatchObject({ text: 'You said: Hi world', deltas: 4, ends: 1, error: null })
    expect(got.end).toEqual({ type: 'end', finishReason: 'stop', usage })
    expect(server.seen.map((seen) => seen.wire)).toEqual([wire])
  })

  it('passes on each piece immediately', async () => {
    server.plan({ fault: 'stall' })
    const caller = new AbortController()
    const events = choice(modelsAt(server.url), name).generate(requestOf(model), caller.signal, 'user:u-1')
    for await (const event of events) {
      expect(event).toEqual({ type: 'delta', text: 'You ' })
      break
    }
    expect(await (await server.request(0)).disconnected).toBe(true)
  })

  it('sends instructions and examples in order, and the key in the right place', async () => {
    await run({
      messages: [
        { role: 'system', content: 'Be brief' },
        { role: 'user', content: 'one' },
        { role: 'assistant', content: 'two' },
        { role: 'user', content: 'three' },
      ],
    })
    const [seen] = server.seen
    const sent = JSON.stringify(seen?.body)
    const positions = ['Be brief', 'one', 'two', 'three'].map((text) => sent.indexOf(JSON.stringify(text)))
    expect(positions.every((position) => position > 0)).toBe(true)
    expect(sent).not.toContain(key)
    expect(seen?.path).not.toContain(key)
    expect(Object.values(seen?.headers ?? {}).join(' ')).toContain(key)
  })

  it('has no usage if the provider reports none', async () => {
    // Anthropic's protocol always includes it.
    if (name === 'claude') return expect((await run()).end?.usage).not.toBeNull()
    server.plan({ answer: { usage: null } })
    expect(await run()).toMatchObject({ end: { finishReason: 'stop', usage: null }, error: null })
  })

  it('reports that a reply was cut', async () => {
    expect(await run({ params: { max_output_tokens: 2 } })).toMatchObject({
      text: 'You said: ',
      end: { finishReason: 'length' },
    })
  })

  it('returns a tool call', async () => {
    const call = { id: 'call_1', name: 'find_weather', arguments: { city: 'Bonn', degrees: 7 } }
    server.plan({ answer: { pieces: ['Let me ', 'see'], toolCalls: [call] } })
    const got = await run({ tools })
    expect(got).toMatchObject({ text: 'Let me see', end: { finishReason: 'tool_calls' }, error: null })
    expect(got.calls).toEqual([{ ...call, id: expect.stringMatching(/./) }])
    expect(JSON.stringify(server.seen[0]?.body)).toContain('Looks out of the window')
  })

  it('requests JSON with a schema', async () => {
    const got = await run({ responseSchema: schema })
    expect(got.error).toBeNull()
    expect(JSON.parse(got.text)).toEqual({ city: 'mock', degrees: 1 })
    expect(got.end?.finishReason).toBe('stop')
  })

  it.each(failures)('$name → $type', async ({ plan, params, ...expected }) => {
    server.always(plan)
    const got = await run(params === undefined ? {} : { params })
    expect(got.end).toBeNull()
    expect(got.text).toBe(expected.text ?? '')
    expect(got.error).toMatchObject({
      name: 'ModelError',
      type: expected.type,
      ...(expected.status !== undefined && { status: expected.status }),
      ...(expected.message !== undefined && { message: expected.message }),
    })
    expect(server.seen.length).toBe(expected.tries ?? 1)
    // The error must not contain a header, a body or the key.
    expect(got.error?.cause).toBeUndefined()
    expect(JSON.stringify(got.error)).not.toContain(key)
    expect(`${got.error?.message} ${got.error?.stack}`).not.toContain(key)
  })

  it.each([
    ['text without end', 'endless'],
    ['a line without end', 'unbroken'],
  ] as const)('%s → too_large', async (_, fault) => {
    server.plan({ fault })
    const got = await outcome(modelsAt(server.url), name, requestOf(model))
    expect(got.error).toMatchObject({ type: 'too_large' })
    expect(got.text.length).toBeLessThanOrEqual(4 * 1024 * 1024)
    expect(await (await server.request(0)).disconnected).toBe(true)
  })

  it('retries after a temporary error', async () => {
    server.plan({ status: 429 }, { status: 503 })
    expect(await run()).toMatchObject({ text: 'You said: Hi world', deltas: 4, error: null })
    expect(server.seen.length).toBe(3)
  })

  it('closes its connection when the call is cancelled', async () => {
    server.plan({ fault: 'silent' })
    const caller = new AbortController()
    const got = outcome(modelsAt(server.url), name, requestOf(model), caller.signal)
    const seen = await server.request(0)
    caller.abort()
    expect((await got).error).toMatchObject({ type: 'cancelled', message: 'The call was cancelled' })
    expect(await seen.disconnected).toBe(true)
  })

  it('closes its connection when it stalls', async () => {
    server.plan({ fault: 'stall' })
    expect((await run()).error?.type).toBe('stalled')
    expect(await (await server.request(0)).disconnected).toBe(true)
  })

  it('is not called for a caller that already disconnected', async () => {
    const got = await outcome(modelsAt(server.url), name, requestOf(model), AbortSignal.abort())
    expect(got.error?.type).toBe('cancelled')
    expect(server.seen).toEqual([])
  })

  it('reports that there is no listener', async () => {
    const closed = await startModelServer()
    await closed.close()
    const got = await outcome(modelsAt(closed.url), name, requestOf(model))
    expect(got.error).toMatchObject({ type: 'unreachable' })
    expect(got.error?.message).toMatch(/^No connection: connect ECONNREFUSED 127\.0\.0\.1:\d+$/)
  })
})

it('a tool call of an Ollama that sends no done_reason ends as tool_calls', async () => {
  const call = { function: { name: 'find_weather', arguments: { city: 'Bonn' } } }
  const lines = [
    { model: 'llama3.2', message: { role: 'assistant', content: '', tool_calls: [call] }, done: false },
    { model: 'llama3.2', message: { role: 'assistant', content: '' }, done: true },
  ]
  const ollama = createServer((_req, res) => {
    res.setHeader('content-type', 'application/x-ndjson')
    res.end(lines.map((line) => `${JSON.stringify(line)}\n`).join(''))
  })
  const { url, close } = await listen(ollama)
  const got = await outcome(modelsAt(url), 'ollama', requestOf('llama3.2', { tools }))
  expect(got).toMatchObject({ calls: [{ name: 'find_weather' }], end: { finishReason: 'tool_calls' } })
  await close()
})
