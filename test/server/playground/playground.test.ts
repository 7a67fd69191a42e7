import { describe, expect, it } from 'vitest'
import { openEvents } from '../../support/events.ts'
import { hi, server, setUpService, viewer, watcher } from './playground-support.ts'

setUpService()

const run = (body: unknown, headers: Record<string, string> = {}) =>
  server.call('POST /api/playground/run', { body, headers })

const newest = async () => {
  const [{ id }] = (await server.call('GET /api/runs?limit=1&sort=-created_at')).body.data
  return (await server.call(`GET /api/runs/${id}`)).body.data
}

describe('a run in the Playground', () => {
  it("returns the sent input, the model's output, and the run", async () => {
    const before = (await server.call('GET /api/runs/stats')).body.data
    const { result, audit } = await watcher.during(() =>
      server.call('POST /api/playground/run', { body: hi, token: viewer.token }),
    )
    expect(result.status).toBe(200)
    expect(result.body).toMatchObject({
      rendered: 'Hi world',
      result: {
        provider: 'mock',
        model: 'mock-small',
        output: 'mock completion (mock-small): Hi world',
        tool_calls: [],
        finish_reason: 'stop',
      },
      run: {
        source: 'playground',
        ref_key: null,
        workspace_id: 'default',
        provider: 'mock',
        model: 'mock-small',
        status: 'ok',
        prompt_tokens: 2,
        output_tokens: 8,
        total_tokens: 10,
        cached_tokens: null,
        tokens_estimated: true,
        cost_usd: 0,
        error: null,
        error_type: null,
        user: 'vera',
        reported: false,
      },
    })
    // Runs are not mutations, so the audit log does not contain them.
    expect(audit).toEqual([])
    const detail = await newest()
    expect(detail).toMatchObject({
      ...result.body.run,
      finish_reason: 'stop',
      variables: ['who'],
      input: null,
      output: null,
      request_id: result.headers.get('x-request-id'),
    })
    expect(detail.ttft_ms).toBeLessThanOrEqual(detail.latency_ms)
    expect(detail.tokens_per_second).toBeGreaterThan(0)
    const after = (await server.call('GET /api/runs/stats')).body.data
    expect([after.total, after.ok, after.total_tokens]).toEqual([
      before.total + 1,
      before.ok + 1,
      before.total_tokens + 10,
    ])
  })

  it('streams the text, then the same reply', async () => {
    const events = await openEvents(server, '/api/playground/run', { ...hi, stream: true })
    expect(events.response.status).toBe(200)
    expect(events.response.headers.get('content-type')).toContain('text/event-stream')
    const received = await events.rest()
    const deltas = received.filter(({ event }) => event === 'delta')
    const text = deltas.map(({ data }) => data.text).join('')
    expect(deltas.length).toBeGreaterThan(2)
    expect(text).toBe('mock completion (mock-small): Hi world')
    expect(received.map(({ event }) => event)).toEqual([...deltas.map(() => 'delta'), 'done'])
    expect(received.at(-1)?.data).toMatchObject({ rendered: 'Hi world', result: { output: text } })
    expect((await newest()).id).toBe(received.at(-1)?.data.run.id)
  })

  it('runs the draft or a version of a prompt, in its workspace', async () => {
    await server.call('POST /api/workspaces', { body: { name: 'Sales', slug: 'sales' } })
    const created = await server.call('POST /api/prompts', {
      body: {
        key: 'sales/hello',
        env: 'dev',
        workspace_id: 'sales',
        content: 'Hello {{who}}{{more}}',
        variables: [
          { name: 'more', required: false },
          { name: 'who', default: 'you' },
        ],
      },
    })
    const { id, workspace_id } = created.body.data
    const served = await run({ id, provider: 'mock' })
    expect(served.body).toMatchObject({
      rendered: 'Hello you{{more}}',
      run: { ref_key: 'sales/hello', version: 'v1', workspace_id },
    })
    await server.call(`PATCH /api/prompts/${id}`, { body: { content: 'Hey {{who}}' } })
    const draft = await run({ id, provider: 'mock', variables: { who: 'Ada' } })
    expect(draft.body).toMatchObject({ rendered: 'Hey Ada', run: { version: 'draft' } })
    const old = await run({ id, version: 'v1', provider: 'mock', variables: { who: 'Ada', more: '!' } })
    expect(old.body).toMatchObject({ rendered: 'Hello Ada!', run: { version: 'v1' } })
    expect((await run({ id, version: 'v7', provider: 'mock' })).status).toBe(404)
    expect((await run({ id: 'nobody', provider: 'mock' })).status).toBe(404)
    const elsewhere = await run({ id, workspace_id: 'default', provider: 'mock' })
    expect(elsewhere.body.errors).toMatchObject([{ path: 'workspace_id' }])
  })

  it('sends instructions and examples first, and returns JSON of a schema and tool calls', async () => {
    const schema = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] }
    const json = await run({ ...hi, response_schema: schema })
    expect(JSON.parse(json.body.result.output)).toEqual({ city: expect.any(String) })
    const tools = [{ name: 'weather', description: 'Of a city', parameters: schema }]
    const messages = [{ role: 'system', content: 'Be brief' }]
    const toolReply = await run({ ...hi, messages, tools, params: { tool_choice: 'required' } })
    expect(toolReply.body.result).toMatchObject({
      tool_calls: [{ name: 'weather', arguments: { city: expect.any(String) } }],
      finish_reason: 'tool_calls',
    })
    const streamed = await openEvents(server, '/api/playground/run', {
      ...hi,
      tools,
      params: { tool_choice: 'required' },
      stream: true,
    })
    expect((await streamed.rest()).map(({ event }) => event)).toEqual(['tool_call', 'done'])
  })
})

it('runs an edited text with the parameters of its prompt; those of the call take precedence', async () => {
  const schema = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] }
  const tools = [{ name: 'weather', description: '', parameters: schema }]
  const format = { type: 'json_schema', json_schema: { name: 'answer', schema } }
  const own = { temperature: 0.2, seed: 3, top_logprobs: 5 }
  const reply = await run({ ...hi, prompt_params: { ...own, response_format: format }, params: { seed: 4 } })
  expect(JSON.parse(reply.body.result.output)).toEqual({ city: expect.any(String) })
  // A parameter that only apps use is not sent.
  const { data } = (await server.call(`GET /api/runs/${reply.body.run.id}`)).body
  expect(data.params).toEqual({ temperature: 0.2, seed: 4 })
  const called = await run({ ...hi, prompt_params: { tools, tool_choice: 'required' } })
  expect(called.body.result.tool_calls).toMatchObject([{ name: 'weather' }])
  const messages = [{ role: 'user', content: 'Hi {{who}}' }]
  const { content: _, ...chat } = hi
  expect((await run({ ...chat, messages, prompt_params: own })).body.rendered).toBe('user: Hi world')
})
