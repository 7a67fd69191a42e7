import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type GatewayTest, startGateway } from './gateway-support.ts'

let gateway: GatewayTest
beforeAll(async () => {
  gateway = await startGateway()
  await createPrompt({
    key: 'mail/reply',
    messages: [
      { role: 'system', content: 'You answer for {{shop.name}}.' },
      { placeholder: 'history' },
      { role: 'user', content: 'Be {{tone}}.' },
    ],
    variables: [
      { name: 'shop.name', required: true },
      { name: 'tone', required: false, default: 'brief' },
    ],
    params: { temperature: 0.4, max_output_tokens: 300, stop: ['END'], tools: [tool], tool_choice: 'auto' },
  })
  await createPrompt({ key: 'greet', content: 'Greet {{name}} in prod', params: {} })
})
afterAll(() => gateway.close())
beforeEach(() => gateway.models.reset())

const tool = {
  name: 'find',
  description: 'Finds an order',
  parameters: { type: 'object', properties: { id: { type: 'string' } } },
}

async function createPrompt(body: object): Promise<string> {
  const reply = await gateway.server.call('POST /api/prompts', {
    body: { env: 'prod', model: 'a-model', ...body },
  })
  expect(reply).toMatchObject({ status: 201 })
  return reply.body.data.id
}

const call: GatewayTest['call'] = (...request) => gateway.call(...request)

const model = 'promptdeck/mail/reply@prod'
const values = { shop: { name: 'Edda & Co' } }
const chat = 'openai/v1/chat/completions'
const question = [{ role: 'user', content: 'Where is it?' }]

describe('a served prompt as the model of', () => {
  it('a chat completion', async () => {
    const reply = await call(chat, {
      model,
      messages: question,
      promptdeck_variables: values,
      temperature: 1,
    })
    expect(reply.status).toBe(200)
    expect(gateway.models.seen[0]?.body).toEqual({
      model: 'a-model',
      messages: [
        { role: 'system', content: 'You answer for Edda & Co.' },
        ...question,
        { role: 'user', content: 'Be brief.' },
      ],
      // That of the request.
      temperature: 1,
      max_completion_tokens: 300,
      stop: ['END'],
      tools: [{ type: 'function', function: tool }],
      tool_choice: 'auto',
    })
    expect(await gateway.run(reply.headers.get('promptdeck-run-id'))).toMatchObject({
      ref_key: 'mail/reply',
      version: 'v1',
      env: 'prod',
      model: 'a-model',
      variables: ['shop.name', 'tone'],
      prompt_hash: expect.stringMatching(/^[0-9a-f]{64}$/),
      status: 'ok',
    })
  })

  it('a response, which has no parameter stop', async () => {
    const path = 'openai/v1/responses'
    const metadata = { variables: JSON.stringify(values) }
    const refused = await call(path, { model, input: 'Where?', metadata })
    expect(refused.status).toBe(400)
    expect((await refused.json()).error.message).toContain('parameter stop')
    const given = { variables: { name: 'Bo' }, plan: 'pro' }
    const named = { model: 'promptdeck/greet@prod', input: [], metadata: given }
    expect((await call(path, named)).status).toBe(200)
    expect(gateway.models.seen[0]?.body).toEqual({
      model: 'a-model',
      input: [{ role: 'user', content: 'Greet Bo in prod' }],
      metadata: { plan: 'pro' },
    })
  })

  it('a message', async () => {
    const body = {
      model,
      system: 'Today is Monday.',
      messages: question,
      promptdeck_variables: values,
      stream: true,
    }
    expect((await call('anthropic/v1/messages', body)).status).toBe(200)
    expect(gateway.models.seen[0]?.body).toEqual({
      model: 'a-model',
      max_tokens: 300,
      system: [
        { type: 'text', text: 'You answer for Edda & Co.' },
        { type: 'text', text: 'Today is Monday.' },
      ],
      messages: [...question, { role: 'user', content: 'Be brief.' }],
      temperature: 0.4,
      stop_sequences: ['END'],
      tools: [{ name: 'find', description: 'Finds an order', input_schema: tool.parameters }],
      tool_choice: { type: 'auto' },
      stream: true,
    })
  })

  it('generated content', async () => {
    const contents = [{ role: 'user', parts: [{ text: 'Where is it?' }] }]
    const path = `gemini/v1beta/models/${model}:generateContent`
    const reply = await call(path, { contents, promptdeck_variables: values })
    expect(gateway.models.seen[0]).toMatchObject({ path: '/v1beta/models/a-model:generateContent' })
    expect(gateway.models.seen[0]?.body).toEqual({
      systemInstruction: { parts: [{ text: 'You answer for Edda & Co.' }] },
      contents: [...contents, { role: 'user', parts: [{ text: 'Be brief.' }] }],
      generationConfig: { temperature: 0.4, maxOutputTokens: 300, stopSequences: ['END'] },
      tools: [
        {
          functionDeclarations: [
            { name: 'find', description: 'Finds an order', parametersJsonSchema: tool.parameters },
          ],
        },
      ],
      toolConfig: { functionCallingConfig: { mode: 'AUTO' } },
    })
    expect(await gateway.run(reply.headers.get('promptdeck-run-id'))).toMatchObject({ model: 'a-model' })
  })

  it('keeps its format and instructions if the request sets other parts of the same field', async () => {
    const schema = tool.parameters
    const tool_calls = ['7', '8'].map((id) => ({ id, name: 'find', arguments: `{"id":"${id}"}` }))
    const messages = [
      { role: 'system', content: 'Be exact.' },
      { role: 'assistant', content: '', tool_calls },
      ...tool_calls.map(({ id }) => ({ role: 'tool', content: `Found ${id}`, tool_call_id: id })),
    ]
    const results = ['Found 7', 'Found 8'].map((output) => ({ functionResponse: { response: { output } } }))
    const params = { response_format: { type: 'json_schema', json_schema: { name: 'order', schema } } }
    await createPrompt({ key: 'order', messages, params })
    const named = { model: 'promptdeck/order' }
    await call('openai/v1/responses', { ...named, input: [], text: { verbosity: 'low' } })
    await call('anthropic/v1/messages', { ...named, messages: [], output_config: { effort: 'low' } })
    await call('gemini/v1beta/models/promptdeck/order:generateContent', {
      contents: [],
      system_instruction: { parts: [{ text: 'Today is Monday.' }] },
      generation_config: { temperature: 0 },
    })
    const [responses, anthropic, gemini] = gateway.models.seen.map(({ body }) => body)
    expect(responses?.['text']).toMatchObject({ verbosity: 'low', format: { type: 'json_schema', schema } })
    expect(anthropic).toMatchObject({
      output_config: { effort: 'low', format: { type: 'json_schema', schema } },
      messages: [{ content: [{ type: 'tool_use', input: { id: '7' } }, {}] }, {}, {}],
    })
    expect(gemini).toMatchObject({
      systemInstruction: { parts: [{ text: 'Be exact.' }, { text: 'Today is Monday.' }] },
      generationConfig: { temperature: 0, responseJsonSchema: schema },
      contents: [{ role: 'model' }, { role: 'user', parts: results }],
    })
    expect(JSON.stringify(gemini)).not.toContain('_')
  })

  it('a chat of Ollama', async () => {
    const body = { model, messages: question, promptdeck_variables: values, options: { num_ctx: 512 } }
    expect((await call('ollama/api/chat', body)).status).toBe(200)
    expect(gateway.models.seen[0]?.body).toMatchObject({
      model: 'a-model',
      messages: [
        { role: 'system', content: 'You answer for Edda & Co.' },
        ...question,
        { content: 'Be brief.' },
      ],
      options: { temperature: 0.4, num_predict: 300, stop: ['END'], num_ctx: 512 },
    })
  })
})

describe('a text prompt', () => {
  const greet = (more: object, path = chat) =>
    call(path, { model: 'promptdeck/greet@prod', promptdeck_variables: { name: 'Bo' }, ...more })

  it('is a user message, and an instruction before messages of the request', async () => {
    await greet({ messages: [] })
    await greet({ messages: question })
    await greet({ input: '' }, 'openai/v1/responses')
    expect(gateway.models.seen.map(({ body }) => body['messages'] ?? body['input'])).toEqual([
      [{ role: 'user', content: 'Greet Bo in prod' }],
      [{ role: 'system', content: 'Greet Bo in prod' }, ...question],
      [{ role: 'user', content: 'Greet Bo in prod' }],
    ])
  })

  it('is the published version from the next request on, and never a draft', async () => {
    const id = await createPrompt({ key: 'hot', content: 'First {{name}}', params: {} })
    const ask = () => greet({ model: 'promptdeck/hot', messages: [] })
    await ask()
    await gateway.server.call(`PATCH /api/prompts/${id}`, { body: { content: 'Second {{name}}' } })
    await ask()
    await gateway.server.call(`POST /api/prompts/${id}/publish`, { body: {} })
    const reply = await ask()
    const sent = gateway.models.seen.map(({ body }) => JSON.stringify(body['messages']))
    expect(sent.map((text) => /First|Second/.exec(text)?.[0])).toEqual(['First', 'First', 'Second'])
    expect(await gateway.run(reply.headers.get('promptdeck-run-id'))).toMatchObject({ version: 'v2' })
  })

  it('has input and output in the run log without the values of variables', async () => {
    await gateway.server.call('PATCH /api/settings', { body: { capture: 'redacted' } })
    const name = 'Annabella Canary'
    const reply = await greet({ messages: [], promptdeck_variables: { name } })
    const run = await gateway.run(reply.headers.get('promptdeck-run-id'))
    await gateway.server.call('PATCH /api/settings', { body: { capture: 'off' } })
    expect(await reply.text()).toContain(name)
    expect(JSON.stringify(run)).not.toContain(name)
    expect(run['input']).toEqual({ messages: [{ role: 'user', content: 'Greet {{name}} in prod' }] })
    expect(run['output']).toContain('{{name}}')
  })
})

describe('a prompt that cannot be served', () => {
  it.each([
    ['is unknown', { model: 'promptdeck/nobody@prod' }, 404, 'No version of nobody'],
    ['is not published there', { model: 'promptdeck/greet@dev' }, 404, 'served in dev'],
    ['lacks a value', { model, promptdeck_variables: {} }, 400, '{{shop.name}}'],
  ])('because it %s is refused before a run', async (_reason, body, status, message) => {
    const reply = await call(chat, { messages: [], ...body })
    expect(reply.status).toBe(status)
    expect((await reply.json()).error.message).toContain(message)
    expect(reply.headers.get('promptdeck-run-id')).toBeNull()
    expect(gateway.models.seen).toHaveLength(0)
  })

  it('because of the path or the token is refused', async () => {
    expect((await call('openai/v1/embeddings', { model, input: 'x' })).status).toBe(400)
    const { token } = await gateway.createToken({ name: 'dev only', gateway: true, namespaces: ['dev'] })
    const body = { model, messages: [], promptdeck_variables: values }
    expect((await call(chat, body, { token })).status).toBe(403)
  })
})
