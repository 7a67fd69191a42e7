import OpenAI from 'openai'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type ModelServer, startModelServer } from '../../../support/model-server/server.ts'
import { providerKey } from '../gateway-support.ts'
import {
  chat,
  client,
  createToken,
  post,
  postTo,
  runIn,
  server,
  setUpService,
  text,
} from './offline-support.ts'

setUpService()

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
    const other = await postTo('anthropic/v1/messages', { ...chat, max_tokens: 9 })
    expect((await other.json()).error.message).toBe(
      'Anthropic Claude has no API key; an admin must set it. The model mock-small replies without a provider, at /gateway/openai/v1 only.',
    )
  })

  it.each([
    ['openai/chat/completions', 'for example, /gateway/openai/v1/chat/completions.'],
    ['anthropic/v1/v1/messages', 'for example, /gateway/anthropic/v1/messages.'],
    ['ollama/v1/chat', 'for example, /gateway/ollama/api/chat.'],
    ['other/v1/chat', 'does not support this protocol'],
  ])('the error of %s names a path', async (path, message) => {
    const reply = await postTo(path, chat)
    expect(reply.status).toBe(404)
    expect(await reply.text()).toContain(message)
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
  beforeEach(() => models.reset())

  it('the offline models still reply, and no packet leaves', async () => {
    expect(await contentOf(await post('chat/completions', chat))).toBe(text)
    const headers = { 'promptdeck-provider': 'mock' }
    const any = await post('chat/completions', { ...chat, model: 'gpt-4o-mini' }, headers)
    expect(await contentOf(any)).toBe('mock completion (gpt-4o-mini): Hello there')
    const list = await post('chat/completions', [chat], headers)
    expect((await list.json()).error).toMatchObject({ message: expect.stringContaining('not a JSON object') })
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
