import OpenAI from 'openai'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type ModelServer, startModelServer } from '../../support/model-server/server.ts'
import { startTestServer, type TestServer } from '../../support/service.ts'
import { providerKey, runOf } from './gateway-support.ts'

// A new installation: no provider has a key.

let server: TestServer
let token = ''
beforeAll(async () => {
  server = await startTestServer()
  token = await createToken({ name: 'first app' })
  await server.call('PATCH /api/settings', { body: { capture: 'full' } })
})
afterAll(() => server.close())

async function createToken(body: object): Promise<string> {
  const reply = await server.call('POST /api/tokens', { body: { gateway: true, ...body } })
  expect(reply.status, reply.text).toBe(201)
  return reply.body.data.token
}

const client = (apiKey = token) =>
  new OpenAI({ apiKey, baseURL: `${server.url}/gateway/openai/v1`, maxRetries: 0 })
const runIn = (response: Response) => runOf(server, response.headers.get('promptdeck-run-id'))
/** Sends a body as it is. */
const post = (path: string, body: object, headers: Readonly<Record<string, string>> = {}) =>
  fetch(`${server.url}/gateway/openai/v1/${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  })

const messages = [{ role: 'user' as const, content: 'Hello there' }]
const chat = { model: 'mock-small', messages }
const text = 'mock completion (mock-small): Hello there'
const schema = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] }
const tools = [{ type: 'function' as const, function: { name: 'find', parameters: schema } }]

describe('a chat without a provider', () => {
  it('is complete, and its run has the fields of any other', async () => {
    const { data, response } = await client().chat.completions.create(chat).withResponse()
    expect(data).toMatchObject({
      object: 'chat.completion',
      model: 'mock-small',
      choices: [{ index: 0, message: { role: 'assistant', content: text }, finish_reason: 'stop' }],
      usage: { prompt_tokens: 2, completion_tokens: 5, total_tokens: 7 },
    })
    expect(await runIn(response)).toMatchObject({
      source: 'gateway',
      provider: 'mock',
      model: 'mock-small',
      response_model: 'mock-small',
      response_id: data.id,
      status: 'ok',
      finish_reason: 'stop',
      prompt_tokens: 2,
      output_tokens: 5,
      tokens_estimated: false,
      cost_usd: 0,
      ttft_ms: null,
      app: 'first app',
      input: { messages },
      output: text,
      reply_mark: null,
    })
  })

  it('is a stream, with its usage if it is asked for', async () => {
    const { data, response } = await client()
      .chat.completions.create({ ...chat, stream: true, stream_options: { include_usage: true } })
      .withResponse()
    const chunks = []
    for await (const chunk of data) chunks.push(chunk)
    expect(chunks.map(({ choices }) => choices[0]?.delta.content ?? '').join('')).toBe(text)
    expect(chunks.slice(0, -1).every(({ usage }) => usage === null)).toBe(true)
    expect(chunks.at(-1)).toMatchObject({ choices: [], usage: { total_tokens: 7 } })
    const run = await runIn(response)
    expect(run).toMatchObject({ output: text, output_tokens: 5, tokens_estimated: false })
    expect(run['ttft_ms']).toBeGreaterThan(0)
    const plain = await post('chat/completions', { ...chat, stream: true })
    expect(await plain.text()).not.toContain('usage')
  })

  it('calls a required tool, returns JSON of a schema, and ends at its limit', async () => {
    const called = { ...chat, tools, tool_choice: 'required' as const }
    const { data, response } = await client().chat.completions.create(called).withResponse()
    expect(data.choices).toMatchObject([
      {
        message: {
          content: null,
          tool_calls: [{ function: { name: 'find', arguments: '{"city":"mock"}' } }],
        },
        finish_reason: 'tool_calls',
      },
    ])
    expect(await runIn(response)).toMatchObject({ tool_names: ['find'] })
    const named = { type: 'function' as const, function: { name: 'find' } }
    const streamed = client().chat.completions.stream({ ...chat, tools, tool_choice: named })
    expect((await streamed.finalMessage()).tool_calls).toMatchObject([{ function: { name: 'find' } }])
    const format = { type: 'json_schema' as const, json_schema: { name: 'place', schema } }
    const json = await client().chat.completions.create({ ...chat, response_format: format })
    expect(json.choices[0]?.message.content).toBe('{"city":"mock"}')
    const cut = await client().chat.completions.create({ ...chat, max_completion_tokens: 2 })
    expect(cut.choices).toMatchObject([{ message: { content: 'mock completion ' }, finish_reason: 'length' }])
  })

  it('that its caller ends is cancelled', async () => {
    // The second word is due long after the test.
    const body = { ...chat, stream: true as const, mock: { tokens_per_second: 0.001 } }
    const { data, response } = await client().chat.completions.create(body).withResponse()
    for await (const { choices } of data) if (choices[0]?.delta.content !== '') break
    expect(await runIn(response)).toMatchObject({ status: 'error', error_type: 'cancelled' })
  })
})

describe('a response without a provider', () => {
  const body = { model: 'mock-small', instructions: 'Be kind', input: messages }

  it('is complete', async () => {
    const { data, response } = await client().responses.create(body).withResponse()
    expect(data).toMatchObject({ status: 'completed', output_text: text, usage: { input_tokens: 4 } })
    expect(await runIn(response)).toMatchObject({
      provider: 'mock',
      response_id: data.id,
      prompt_tokens: 4,
      output_tokens: 5,
      output: text,
    })
    const cut = await client().responses.create({ ...body, input: 'Hello', max_output_tokens: 1 })
    expect(cut.incomplete_details).toEqual({ reason: 'max_output_tokens' })
  })

  it('is a stream, with tools', async () => {
    const stream = client().responses.stream(body)
    let streamed = ''
    stream.on('response.output_text.delta', ({ delta }) => {
      streamed += delta
    })
    expect((await stream.finalResponse()).output_text).toBe(text)
    expect(streamed).toBe(text)
    const find = { type: 'function' as const, name: 'find', parameters: schema, strict: false }
    const called = client().responses.stream({ ...body, tools: [find], tool_choice: 'required' })
    expect((await called.finalResponse()).output).toMatchObject([
      { type: 'function_call', name: 'find', arguments: '{"city":"mock"}' },
    ])
  })
})

describe('without a provider', () => {
  it('the offline models are listed', async () => {
    expect((await client().models.list()).data.map(({ id }) => id)).toEqual(['mock-small', 'mock-large'])
    expect(await client().models.retrieve('mock-large')).toMatchObject({ id: 'mock-large' })
    await expect(client().models.retrieve('gpt-4o')).rejects.toThrow(OpenAI.NotFoundError)
  })

  it('the error of another model names the one that replies', async () => {
    const reply = await post('chat/completions', { ...chat, model: 'gpt-4o-mini' })
    expect(reply.status).toBe(503)
    expect((await reply.json()).error.message).toBe(
      'OpenAI has no API key; an admin must set it. The model mock-small replies without a provider.',
    )
    const named = await post('chat/completions', chat, { 'promptdeck-provider': 'openai' })
    expect((await named.json()).error.message).toBe('OpenAI has no API key; an admin must set it')
  })

  it.each([
    ['no messages', 'chat/completions', { model: 'mock-small' }, 'at least one message'],
    ['several choices', 'chat/completions', { ...chat, n: 2 }, 'n must be 1'],
    ['no tool to call', 'chat/completions', { ...chat, tool_choice: 'required' }, 'no tool is declared'],
    ['an unknown failure', 'chat/completions', { ...chat, mock: { fail: 'now' } }, 'mock: '],
    ['no input', 'responses', { model: 'mock-small' }, 'at least one message'],
    ['embeddings', 'embeddings', { model: 'mock-small', input: 'x' }, 'does not support this path'],
  ])('%s is an error in the form of OpenAI', async (_, path, body, message) => {
    const reply = await post(path, body)
    expect(reply.status).toBe(400)
    expect((await reply.json()).error).toMatchObject({
      message: expect.stringContaining(message),
      type: 'invalid_request_error',
    })
    expect(await runIn(reply)).toMatchObject({ status: 'error', error_type: 'bad_request', provider: 'mock' })
  })

  it('a failure is simulated, before and in the middle of a reply', async () => {
    const start = await post('chat/completions', { ...chat, mock: { fail: 'start' } })
    expect(start.status).toBe(500)
    expect(await runIn(start)).toMatchObject({ status: 'error', error_type: 'provider_error' })
    const body = { ...chat, stream: true as const, mock: { fail: 'middle' } }
    const { data, response } = await client().chat.completions.create(body).withResponse()
    const read = async () => {
      for await (const _ of data);
    }
    await expect(read()).rejects.toThrow('as requested')
    expect(await runIn(response)).toMatchObject({
      error_type: 'provider_error',
      output: 'mock completion (mock-small): ',
    })
    const events = client().responses.stream({
      model: 'mock-small',
      input: 'Hi',
      ...{ mock: { fail: 'middle' } },
    })
    await expect(events.finalResponse()).rejects.toThrow('as requested')
  })

  it('a prompt is rendered, and a virtual model ends offline', async () => {
    const prompt = { key: 'welcome', env: 'prod', model: 'mock-small', content: 'Greet {{name}}' }
    await server.call('POST /api/prompts', { body: prompt })
    const served = await post('chat/completions', {
      model: 'promptdeck/welcome@prod',
      messages: [],
      promptdeck_variables: { name: 'Edda' },
    })
    expect((await served.json()).choices[0].message.content).toContain('Greet Edda')
    expect(await runIn(served)).toMatchObject({ provider: 'mock', ref_key: 'welcome', version: 'v1' })
    const targets = [
      { provider: 'openai', model: 'gpt-4o' },
      { provider: 'mock', model: 'mock-small' },
    ]
    await server.call('PATCH /api/settings', { body: { virtual_models: [{ name: 'fast', targets }] } })
    const reply = await post('chat/completions', { ...chat, model: 'fast' })
    expect((await reply.json()).choices[0].message.content).toBe(text)
    const metadata = { virtual_model: 'fast', attempt: 2 }
    expect(await runIn(reply)).toMatchObject({ provider: 'mock', model: 'mock-small', metadata })
  })

  it('budgets count its tokens', async () => {
    const limited = await createToken({ name: 'limited', budget: { tokens_per_day: 7, mode: 'refuse' } })
    const { response } = await client(limited).chat.completions.create(chat).withResponse()
    await runIn(response)
    await expect(client(limited).chat.completions.create(chat)).rejects.toThrow(OpenAI.RateLimitError)
  })
})

describe('with a provider', () => {
  let models: ModelServer
  const set = (name: string, body: object) => server.call(`PATCH /api/providers/${name}`, { body })
  const contentOf = async (reply: Response) => (await reply.json()).choices[0].message.content
  beforeAll(async () => {
    models = await startModelServer({ key: providerKey })
    await set('openai', { base_url: `${models.url}/v1`, local: true, api_key: providerKey })
  })
  afterAll(() => models.close())
  beforeEach(() => models.forget())

  it('the offline models still reply, and no packet leaves', async () => {
    expect(await contentOf(await post('chat/completions', chat))).toBe(text)
    const headers = { 'promptdeck-provider': 'mock' }
    const any = await post('chat/completions', { ...chat, model: 'gpt-4o-mini' }, headers)
    expect(await contentOf(any)).toBe('mock completion (gpt-4o-mini): Hello there')
    expect(models.seen).toHaveLength(0)
  })

  it('its own list of models is passed on', async () => {
    expect((await client().models.list()).data).toMatchObject([{ id: 'gpt-4o-mini' }])
  })

  it('a request for it is not taken', async () => {
    const own = await createToken({ name: 'own', pass_through_key: true })
    const ownKey = { authorization: `Bearer ${providerKey}`, 'promptdeck-token': own }
    await post('chat/completions', chat, ownKey)
    await post('chat/completions', chat, { 'promptdeck-provider': 'openai' })
    expect(models.seen).toHaveLength(2)
    await set('openai', { models: ['mock-small'] })
    expect(await contentOf(await post('chat/completions', chat))).toBe('You said: Hello there')
    expect(models.seen).toHaveLength(3)
    await set('openai', { models: null })
    await set('mock', { enabled: false })
    await post('chat/completions', chat)
    expect(models.seen).toHaveLength(4)
    await set('mock', { enabled: true })
  })
})
