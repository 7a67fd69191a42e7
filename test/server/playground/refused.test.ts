import { describe, expect, it } from 'vitest'
import { openEvents } from '../../support/events.ts'
import type { Scenario } from '../../support/scenario.ts'
import { hi, server, setUpService, watcher } from './playground-support.ts'

setUpService()

const total = async (): Promise<number> => (await server.call('GET /api/runs?limit=1')).body.total

describe('a refused request leaves no run', () => {
  const invalid = {
    call: 'POST /api/playground/run',
    status: 422,
    reply: { code: 'request.invalid' },
  } as const
  const listSchema = { type: 'array' }
  it.each<Scenario>([
    { name: 'an unknown provider', ...invalid, body: { ...hi, provider: 'nobody' }, fields: ['provider'] },
    { name: 'no default model', ...invalid, body: { ...hi, provider: 'ollama' }, fields: ['model'] },
    {
      name: 'a variable without a value',
      ...invalid,
      body: { ...hi, variables: {} },
      fields: ['variables.who'],
    },
    {
      name: 'an inherited name',
      ...invalid,
      body: { ...hi, content: '{{constructor}}' },
      fields: ['content'],
    },
    {
      name: 'an unknown mock parameter',
      ...invalid,
      body: { ...hi, provider: 'openai', params: { mock: {} } },
      fields: ['params.mock'],
    },
    {
      name: 'parameters for a prompt, which has its own',
      ...invalid,
      body: { id: 'any', provider: 'mock', prompt_params: { temperature: 1 } },
      fields: ['prompt_params'],
    },
    {
      name: 'an invalid parameter of the text',
      ...invalid,
      body: { ...hi, prompt_params: { temperature: 9, tool_choice: 'required' } },
      fields: ['prompt_params.temperature', 'prompt_params.tool_choice'],
    },
    {
      name: 'a choice of an undeclared tool',
      ...invalid,
      body: { ...hi, params: { tool_choice: 'required' } },
      fields: ['params.tool_choice'],
    },
    {
      name: 'a schema that is not an object',
      ...invalid,
      body: { ...hi, response_schema: listSchema },
      fields: ['response_schema.type'],
    },
    {
      name: 'a tool whose parameters are not an object',
      ...invalid,
      body: { ...hi, tools: [{ name: 'a', parameters: listSchema }] },
      fields: ['tools.0.parameters.type'],
    },
    {
      name: 'no prompt and no text',
      ...invalid,
      body: { content: ' ', provider: 'mock' },
      fields: ['content'],
    },
    { name: 'both prompt and text', ...invalid, body: { ...hi, id: 'x' }, fields: ['content'] },
    { name: 'a version without a prompt', ...invalid, body: { ...hi, version: 'v1' }, fields: ['version'] },
    {
      name: 'an unknown workspace',
      ...invalid,
      body: { ...hi, workspace_id: 'nowhere' },
      fields: ['workspace_id'],
    },
    {
      name: 'an API key',
      ...invalid,
      body: { ...hi, api_key: 'sk-canary-0123456789' },
      fields: ['api_key'],
      forbidden: ['sk-canary'],
    },
    {
      name: 'a base URL',
      ...invalid,
      body: { ...hi, base_url: 'https://models.example.net' },
      fields: ['base_url'],
    },
    {
      name: 'a text that is too large',
      ...invalid,
      body: { ...hi, content: '{{who}}'.repeat(20_000), variables: { who: 'x'.repeat(500_000) } },
      fields: ['variables'],
    },
    {
      name: 'an event stream with an Idempotency-Key',
      ...invalid,
      body: { ...hi, stream: true },
      headers: { 'idempotency-key': 'a' },
      fields: ['Idempotency-Key'],
    },
    {
      name: 'a caller without a token',
      call: 'POST /api/playground/run',
      body: hi,
      token: () => null,
      status: 401,
    },
  ])('$name', async (scenario) => {
    const count = await total()
    await watcher.run(scenario)
    if (typeof scenario.body === 'object' && scenario.status === 422 && scenario.headers === undefined) {
      const body = { ...scenario.body, stream: true }
      const events = await openEvents(server, '/api/playground/run', body)
      expect([events.response.status, await events.response.headers.get('content-type')]).toEqual([
        422,
        'application/problem+json; charset=utf-8',
      ])
    }
    expect(await total()).toBe(count)
  })
})
