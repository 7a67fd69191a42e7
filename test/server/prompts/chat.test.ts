import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Watcher, watch } from '../../support/scenario.ts'
import { startTestServer, type TestServer } from '../../support/service.ts'
import { chat, content, messages, params, schema } from './chat-support.ts'
import { act, edit, fetchServed, makePrompt } from './prompts-support.ts'

let server: TestServer
let watcher: Watcher
beforeAll(async () => {
  server = await startTestServer()
  watcher = await watch(server)
})
afterAll(async () => {
  await watcher.close()
  await server.close()
})

const body = { type: 'chat', content, messages, params, model: 'gpt-4o' }
const patch = (id: string, change: object) => server.call(`PATCH /api/prompts/${id}`, { body: change })
const read = async (id: string) => (await server.call(`GET /api/prompts/${id}`)).body.data
const user = (text: string) => ({ role: 'user', content: text })

describe('a chat prompt', () => {
  it('is created, published and served with its messages, its parameters and its text', async () => {
    const { result: prompt, audit } = await watcher.during(() =>
      makePrompt(server, { key: 'chat/order', env: 'prod', ...chat }),
    )
    expect(prompt).toMatchObject({ ...body, version: 'v1', served: { version: 'v1', ...body } })
    expect(prompt.variables).toEqual([
      expect.objectContaining({ name: 'customer.name', declared: false, used: true }),
      expect.objectContaining({ name: 'order', declared: true, used: true, example: 'A-17' }),
    ])
    expect(audit).toEqual(['service-token create prompt chat/order'])
    const served = await fetchServed(server, 'chat/order')
    const { variables } = prompt
    expect(served.body).toEqual({
      key: 'chat/order',
      version: 'v1',
      env: 'prod',
      ...body,
      variables,
      etag: `"${prompt.id}-v1"`,
    })
    const bulk = await server.call('GET /api/sdk/prompts?env=prod')
    expect(bulk.body.data).toEqual([served.body])
    const [row] = (await server.call('GET /api/prompts?fields=summary&q=order')).body.data
    expect(row).toMatchObject({ type: 'chat', served: { version: 'v1', type: 'chat', model: 'gpt-4o' } })
    expect(row).not.toHaveProperty('messages')
    expect(row).not.toHaveProperty('params')
    // Roles are not part of the text that is searched.
    expect((await server.call('GET /api/prompts?q=assistant')).body.data).toEqual([])
  })

  it('has drafts, versions, rollbacks, promotions, copies and a trash like a text', async () => {
    const prompt = await makePrompt(server, { key: 'chat/life', env: 'dev', ...chat })
    const next = [...messages, user('Thanks')]
    const draft = await edit(server, prompt.id, { messages: next, params: { temperature: 1 } })
    expect(draft).toMatchObject({ has_draft: true, messages: next, params: { temperature: 1 }, served: body })
    expect((await fetchServed(server, 'chat/life', 'env=dev')).body.messages).toEqual(messages)
    const { result, audit } = await watcher.during(() => act(server, prompt.id, 'publish', {}))
    expect(result).toMatchObject({ version: 'v2', has_draft: false, served: { messages: next } })
    expect(audit).toEqual(['service-token publish prompt chat/life'])
    const [entry] = (await server.call('GET /api/audit?limit=1')).body.data
    const details = (await server.call(`GET /api/audit/${entry.id}`)).body.data
    expect(details.after).toMatchObject({ messages: next, params: { temperature: 1 } })
    expect(details.before).toMatchObject({ messages, params })
    expect(await act(server, prompt.id, 'rollback', { version: 'v1' })).toMatchObject({
      version: 'v3',
      served: body,
    })
    const versions = (await server.call(`GET /api/prompts/${prompt.id}/versions`)).body.data
    expect(versions.map((version: { messages: unknown }) => version.messages)).toEqual([
      messages,
      next,
      messages,
    ])
    const list = (await server.call(`GET /api/prompts/${prompt.id}/versions?fields=summary`)).body.data
    expect(list[0]).toMatchObject({ type: 'chat' })
    expect(list[0]).not.toHaveProperty('messages')
    const promoted = await act(server, prompt.id, 'promote', { env: 'test' })
    expect(promoted).toMatchObject({ env: 'test', version: 'v1', served: body })
    const again = await server.call(`POST /api/prompts/${prompt.id}/promote`, { body: { env: 'test' } })
    expect(again.body.code).toBe('prompt.nothing_to_publish')
    expect(await act(server, prompt.id, 'duplicate', { key: 'chat/copy' })).toMatchObject({
      ...body,
      served: null,
    })
    await server.call(`DELETE /api/prompts/${prompt.id}`)
    expect(await act(server, prompt.id, 'restore')).toMatchObject({ served: body })
  })

  it('is saved unchanged when it is sent back as it was read', async () => {
    const prompt = await makePrompt(server, { key: 'chat/back', env: 'dev', ...chat })
    const { result, audit } = await watcher.during(() =>
      server.call(`PUT /api/prompts/${prompt.id}`, {
        body: prompt,
        headers: { 'if-match': prompt.etag },
      }),
    )
    expect(result.body.data).toEqual(prompt)
    expect(audit).toEqual([])
    const changed = { ...prompt, messages: [...messages, user('More')] }
    const saved = await server.call(`PUT /api/prompts/${prompt.id}`, { body: changed })
    expect(saved.body.data).toMatchObject({ has_draft: true, messages: changed.messages })
    expect(saved.body.data.etag).not.toBe(prompt.etag)
    const restored = await edit(server, prompt.id, { messages })
    expect(restored).toMatchObject({ has_draft: false })
  })

  it('changes its type as a draft', async () => {
    const { id } = await makePrompt(server, { key: 'chat/type', env: 'dev', content: 'Hi {{who}}' })
    const asChat = await edit(server, id, { type: 'chat' })
    expect(asChat).toMatchObject({
      type: 'chat',
      content: 'user: Hi {{who}}',
      messages: [user('Hi {{who}}')],
      has_draft: true,
      served: { type: 'text', content: 'Hi {{who}}', messages: null },
    })
    expect(await edit(server, id, { content: 'Hi {{who}}', type: 'text' })).toMatchObject({
      has_draft: false,
    })
    const implied = await edit(server, id, { messages: [user('A'), { role: 'assistant', content: 'B' }] })
    expect(implied).toMatchObject({ type: 'chat', content: 'user: A\n\nassistant: B' })
    const joined = await edit(server, id, { type: 'text' })
    expect(joined).toMatchObject({ type: 'text', content: 'user: A\n\nassistant: B', messages: null })
    const diff = (await server.call(`GET /api/prompts/${id}/diff`)).body.data
    expect(diff).toMatchObject({ type: null, messages: null, identical: false })
    await edit(server, id, { messages: [user('A')] })
    expect((await server.call(`GET /api/prompts/${id}/diff`)).body.data).toMatchObject({
      type: { from: 'text', to: 'chat' },
      messages: null,
    })
    const impact = (await server.call(`GET /api/prompts/${id}/impact`)).body.data
    expect(impact.diff).toMatchObject({ type_changed: true, model_changed: false, params_changed: [] })
    expect(await edit(server, id, { messages: null })).toMatchObject({ type: 'text', content: 'user: A' })
  })

  it('is compared by message and by parameter', async () => {
    const first = [{ role: 'system', content: 'Be brief.\nBe kind.' }, user('Hi'), { placeholder: 'history' }]
    const { id } = await makePrompt(server, {
      key: 'chat/diff',
      env: 'dev',
      messages: first,
      params: { temperature: 0.2, seed: 7, stop: ['a'] },
    })
    const none = (await server.call(`GET /api/prompts/${id}/diff?from=none&to=v1`)).body.data
    expect(none.messages.map(({ kind }: { kind: string }) => kind)).toEqual(['added', 'added', 'added'])
    await edit(server, id, {
      messages: [
        { role: 'system', content: 'Be brief.\nBe polite.' },
        { placeholder: 'earlier' },
        user('Hi'),
        user('Go'),
      ],
      params: { temperature: 0.7, seed: 7, max_tokens: 10 },
    })
    const { data: diff } = (await server.call(`GET /api/prompts/${id}/diff`)).body
    expect(diff.params).toEqual([
      { name: 'max_output_tokens', to: 10 },
      { name: 'stop', from: ['a'] },
      { name: 'temperature', from: 0.2, to: 0.7 },
    ])
    expect(diff.messages.map(({ kind }: { kind: string }) => kind)).toEqual([
      'changed',
      'added',
      'same',
      'removed',
      'added',
    ])
    expect(
      diff.messages[0].lines.map((line: { kind: string; text: string }) => `${line.kind} ${line.text}`),
    ).toEqual(['same Be brief.', 'removed Be kind.', 'added Be polite.'])
    const impact = (await server.call(`GET /api/prompts/${id}/impact`)).body.data
    expect(impact.diff.params_changed).toEqual(['max_output_tokens', 'stop', 'temperature'])
    const same = (await server.call(`GET /api/prompts/${id}/diff?from=draft&to=draft`)).body.data
    expect(same).toMatchObject({ identical: true, params: [], type: null })
  })
})

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
