import { describe, expect, it } from 'vitest'
import type { TestServer } from '../../../support/service.ts'
import { chat, messages, params, schema } from '../chat-support.ts'
import { act, edit, fetchServed, makePrompt } from '../prompts-support.ts'
import { server, setUpService, user } from './chat-service.ts'

setUpService()

const patch = (id: string, change: object) => server.call(`PATCH /api/prompts/${id}`, { body: change })
const read = async (id: string) => (await server.call(`GET /api/prompts/${id}`)).body.data

describe('a request that is refused', () => {
  const tool = { role: 'tool', content: 'x', tool_call_id: 'call_9' }
  it.each<[string, object, string]>([
    ['an unknown role', { messages: [{ role: 'judge', content: 'x' }] }, 'messages.0.role'],
    ['a message without content', { messages: [{ role: 'user' }] }, 'messages.0.content'],
    ['an unknown field of a message', { messages: [{ ...user('x'), colour: 1 }] }, 'messages.0.colour'],
    ['a tool message without a call', { messages: [tool] }, 'messages.0.tool_call_id'],
    ['a placeholder with a bad name', { messages: [{ placeholder: 'a b' }] }, 'messages.0.placeholder'],
    ['an inherited variable', { messages: [user('{{constructor}}')] }, 'messages'],
    ['a text with messages', { type: 'text', messages: [user('x')] }, 'messages'],
    ['messages and another text', { content: 'y', messages: [user('x')] }, 'content'],
    ['too many messages', { messages: Array.from({ length: 201 }, () => user('x')) }, 'messages'],
    ['a temperature out of range', { content: 'x', params: { temperature: 3 } }, 'params.temperature'],
    [
      'two names of one limit',
      { content: 'x', params: { max_tokens: 1, max_output_tokens: 2 } },
      'params.max_tokens',
    ],
    [
      'a schema that is not an object',
      {
        content: 'x',
        params: {
          response_format: { type: 'json_schema', json_schema: { name: 'r', schema: { type: 'array' } } },
        },
      },
      'params.response_format.json_schema.schema.type',
    ],
    [
      'a tool declared twice',
      { content: 'x', params: { tools: [0, 1].map(() => ({ name: 't', parameters: { type: 'object' } })) } },
      'params.tools.1.name',
    ],
    [
      'a required tool call without a tool',
      { content: 'x', params: { tool_choice: 'required' } },
      'params.tool_choice',
    ],
    ['parameters that are too large', { content: 'x', params: { note: 'x'.repeat(140_000) } }, 'params'],
  ])('%s', async (_name, change, path) => {
    const reply = await server.call('POST /api/prompts', { body: { key: 'chat/bad', env: 'dev', ...change } })
    expect(reply.status).toBe(422)
    expect(reply.body.errors.map((error: { path: string }) => error.path)).toContain(path)
  })

  it('a change of the derived text of a chat', async () => {
    const { id } = await makePrompt(server, { key: 'chat/derived', env: 'dev', messages: [user('x')] })
    const reply = await patch(id, { content: 'Something else' })
    expect(reply.body.errors[0].path).toBe('content')
    expect(await read(id)).toMatchObject({ content: 'user: x', has_draft: false })
  })

  it('the publish of messages without a text', async () => {
    const { id } = await makePrompt(server, {
      key: 'chat/empty',
      env: 'dev',
      draft: true,
      messages: [user(' ')],
    })
    const reply = await server.call(`POST /api/prompts/${id}/publish`, { body: {} })
    expect(reply.status).toBe(422)
    expect(reply.body.errors[0].path).toBe('messages')
    const placeholder = await edit(server, id, { messages: [{ placeholder: 'all' }] })
    expect(placeholder.variables).toEqual([])
    expect(await act(server, id, 'publish', {})).toMatchObject({ version: 'v1' })
  })
})

describe('a text prompt', () => {
  it('is served as before, with the added fields', async () => {
    const { id } = await makePrompt(server, {
      key: 'chat/text',
      env: 'prod',
      content: 'Hi {{a}}',
      model: 'm',
    })
    const { text } = await fetchServed(server, 'chat/text')
    const variables = `[{"name":"a","required":false,"default":null,"description":"","type":"string","declared":false,"used":true}]`
    expect(text).toBe(
      `{"key":"chat/text","version":"v1","env":"prod","model":"m","content":"Hi {{a}}","variables":${variables},"type":"text","messages":null,"params":{},"etag":"\\"${id}-v1\\""}`,
    )
  })

  it('has parameters, which are cleared by null', async () => {
    const prompt = await makePrompt(server, {
      key: 'chat/params',
      env: 'prod',
      content: 'x',
      params: { max_tokens: 5, response_format: { type: 'json_object' } },
    })
    expect(prompt.params).toEqual({ max_output_tokens: 5, response_format: { type: 'json_object' } })
    expect(await edit(server, prompt.id, { name: 'Other' })).toMatchObject({
      params: prompt.params,
      has_draft: false,
    })
    expect(await edit(server, prompt.id, { params: null })).toMatchObject({ params: {}, has_draft: true })
  })
})

/** Returns the parameters in the log of a run. */
const paramsOf = async ({ body: { run } }: Awaited<ReturnType<TestServer['call']>>) =>
  (await server.call(`GET /api/runs/${run.id}`)).body.data.params

describe('a run of a chat prompt', () => {
  const run = (request: object) => server.call('POST /api/playground/run', { body: request })

  it('sends the rendered messages, with the parameters of the prompt', async () => {
    const { id } = await makePrompt(server, {
      key: 'chat/run',
      env: 'prod',
      messages: messages.slice(0, 3),
      params: { temperature: 0.2, reasoning_effort: 'low' },
    })
    const history = [user('Hello {{order}}'), { role: 'assistant', content: 'Hi' }]
    const variables = { customer: { name: 'Ann' }, order: 'A-17' }
    const reply = await run({ id, variables, placeholders: { history } })
    const sent = [
      { role: 'system', content: 'You help Ann. {{ > legal/footer}}' },
      ...history,
      user('Where is order A-17?'),
    ]
    const text = sent.map((message) => `${message.role}: ${message.content}`).join('\n\n')
    expect(reply.body).toMatchObject({
      rendered: text,
      messages: sent,
      result: { output: `mock completion (mock-small): ${text}` },
      run: { ref_key: 'chat/run', version: 'v1' },
    })
    expect(await paramsOf(reply)).toEqual({ temperature: 0.2 })
    const override = await run({ id, variables, params: { temperature: 1 } })
    expect(await paramsOf(override)).toEqual({ temperature: 1 })
    expect(override.body.messages).toHaveLength(2)
    const missing = await run({ id, variables: { order: 'x' } })
    expect(missing.body.errors[0].path).toBe('variables.customer.name')
  })

  it('answers in the format of the prompt, and shows tool calls', async () => {
    const { id } = await makePrompt(server, { key: 'chat/tools', env: 'prod', ...chat })
    const variables = { customer: { name: 'Ann' }, order: 'A-17' }
    const reply = await run({ id, variables })
    expect(JSON.parse(reply.body.result.output)).toEqual({ answer: expect.any(String) })
    const called = await run({ id, variables, params: { tool_choice: 'required' } })
    expect(called.body.result.tool_calls).toEqual([{ id: 'call_mock_1', name: 'find_order', arguments: {} }])
    const json = await run({ messages: [user('x')], response_schema: schema })
    expect(JSON.parse(json.body.result.output)).toHaveProperty('answer')
  })

  it('takes messages instead of a prompt', async () => {
    const reply = await run({
      messages: [{ role: 'system', content: 'Be {{how}}' }, { placeholder: 'rest' }],
      placeholders: { rest: [user('Go')] },
      variables: { how: 'brief' },
    })
    expect(reply.body.result.output).toBe('mock completion (mock-small): system: Be brief\n\nuser: Go')
    const refused = async (request: object) => (await run(request)).body.errors?.[0]?.path
    expect(await refused({})).toBe('content')
    expect(await refused({ messages: [] })).toBe('content')
    expect(await refused({ messages: [{ placeholder: 'rest' }] })).toBe('messages')
    expect(await refused({ content: 'x', messages: [{ placeholder: 'rest' }] })).toBe(
      'messages.0.placeholder',
    )
    const result = { role: 'tool', content: 'x', tool_call_id: 'none' }
    expect(await refused({ messages: [{ placeholder: 'rest' }, result] })).toBe('messages.0.tool_call_id')
  })

  it('does not store the inserted messages in redacted capture', async () => {
    await server.call('PATCH /api/workspaces/default', { body: { capture: 'redacted' } })
    const reply = await run({
      messages: [{ role: 'system', content: 'Help {{who}}' }, { placeholder: 'history' }],
      placeholders: { history: [user('My secret number is 4711')] },
      variables: { who: 'Annabel' },
    })
    const stored = await server.call(`GET /api/runs/${reply.body.run.id}`)
    expect(stored.body.data.input.messages).toEqual([
      { role: 'system', content: 'Help {{who}}' },
      { placeholder: 'history' },
    ])
    expect(stored.text).not.toContain('4711')
    expect(stored.text).not.toContain('Annabel')
  })

  it('is a run of an agent too', async () => {
    await makePrompt(server, { key: 'chat/agent', env: 'prod', messages: messages.slice(0, 3), params })
    const agent = await server.call('POST /api/agents', {
      body: { key: 'chat-agent', prompt_key: 'chat/agent' },
    })
    const { id } = agent.body.data
    expect((await server.call(`GET /api/agents/${id}/input`)).body.data).toMatchObject({
      placeholders: ['history'],
      ready: true,
    })
    const reply = await server.call(`POST /api/agents/${id}/run`, {
      body: {
        variables: { customer: { name: 'Ann' }, order: 'A-17' },
        placeholders: { history: [user('Hello')] },
      },
    })
    expect(reply.body.messages.map(({ role }: { role: string }) => role)).toEqual(['system', 'user', 'user'])
    expect(JSON.parse(reply.body.result.output)).toHaveProperty('answer')
    expect(await paramsOf(reply)).toMatchObject({ temperature: 0.2, max_output_tokens: 300 })
  })
})
