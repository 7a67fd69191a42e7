import { describe, expect, it } from 'vitest'
import type { ModelParams } from '../../../contract/models/models.ts'
import { body, call, models, server, setUpModelServer } from './params-support.ts'

setUpModelServer()

const values = {
  temperature: 0.5,
  top_p: 0.9,
  top_k: 40,
  max_output_tokens: 50,
  stop: ['END'],
  seed: 7,
  frequency_penalty: 0.25,
  presence_penalty: -0.25,
} satisfies ModelParams

/** The parameter name in each protocol; null if refused. `.` separates nested members. */
const protocolNames: Readonly<Record<string, Readonly<Record<keyof typeof values, string | null>>>> = {
  openai: {
    temperature: 'temperature',
    top_p: 'top_p',
    top_k: null,
    max_output_tokens: 'max_tokens',
    stop: 'stop',
    seed: 'seed',
    frequency_penalty: 'frequency_penalty',
    presence_penalty: 'presence_penalty',
  },
  claude: {
    temperature: 'temperature',
    top_p: 'top_p',
    top_k: 'top_k',
    max_output_tokens: 'max_tokens',
    stop: 'stop_sequences',
    seed: null,
    frequency_penalty: null,
    presence_penalty: null,
  },
  gemini: {
    temperature: 'generationConfig.temperature',
    top_p: 'generationConfig.topP',
    top_k: 'generationConfig.topK',
    max_output_tokens: 'generationConfig.maxOutputTokens',
    stop: 'generationConfig.stopSequences',
    seed: 'generationConfig.seed',
    frequency_penalty: 'generationConfig.frequencyPenalty',
    presence_penalty: 'generationConfig.presencePenalty',
  },
  ollama: {
    temperature: 'options.temperature',
    top_p: 'options.top_p',
    top_k: 'options.top_k',
    max_output_tokens: 'options.num_predict',
    stop: 'options.stop',
    seed: 'options.seed',
    frequency_penalty: 'options.frequency_penalty',
    presence_penalty: 'options.presence_penalty',
  },
  'openai-compatible': {
    temperature: 'temperature',
    top_p: 'top_p',
    top_k: 'top_k',
    max_output_tokens: 'max_tokens',
    stop: 'stop',
    seed: 'seed',
    frequency_penalty: 'frequency_penalty',
    presence_penalty: 'presence_penalty',
  },
}
const rows = Object.entries(protocolNames).flatMap(([name, params]) =>
  Object.entries(params).map(([param, field]) => ({
    name,
    param: param as keyof typeof values,
    field,
  })),
)
const valueAt = (body: unknown, field: string): unknown =>
  field.split('.').reduce<unknown>((value, name) => (value as Record<string, unknown>)?.[name], body)

describe('parameters', () => {
  it.each(rows.filter(({ field }) => field !== null))(
    '$name accepts $param',
    async ({ name, param, field }) => {
      expect((await call(name, { params: { [param]: values[param] } })).error).toBeNull()
      expect(valueAt(body(), String(field))).toEqual(values[param])
      expect((await call(name, {})).error).toBeNull()
      // Claude's protocol requires a limit; the library knows the maximum of each model.
      if (field !== 'max_tokens' || name !== 'claude') expect(valueAt(body(), String(field))).toBeUndefined()
    },
  )

  it.each(rows.filter(({ field }) => field === null))('$name refuses $param', async ({ name, param }) => {
    const { error } = await call(name, { params: { [param]: values[param] } })
    expect(error).toMatchObject({ type: 'bad_request', message: expect.stringContaining(param) })
    expect(server.seen).toEqual([])
  })

  it.each(Object.keys(models))('%s refuses parameters that only the mock supports', async (name) => {
    const { error } = await call(name, { params: { mock: { fail: 'start' } } })
    expect(error).toMatchObject({ type: 'bad_request', message: expect.stringMatching(/no parameter mock$/) })
  })

  it.each([
    ['claude', { temperature: 1.5 }, /temperature of at most 1/],
    ['claude', { temperature: 0.5, top_p: 0.5 }, /either temperature or top_p/],
    ['ollama', { tool_choice: 'required' }, /tool_choice required/],
  ] as const)('%s refuses %o', async (name, params, message) => {
    const tools = [{ name: 'find', description: '', parameters: { type: 'object' } }]
    const { error } = await call(name, { params, tools })
    expect(error).toMatchObject({ type: 'bad_request', message: expect.stringMatching(message) })
    expect(server.seen).toEqual([])
  })

  it('refuses a parameter that a model does not support, instead of omitting it', async () => {
    const { error, text } = await call('openai', { params: { temperature: 0.5 } }, 'o3-mini')
    expect(error).toMatchObject({ type: 'bad_request' })
    expect(error?.message).toMatch(/^This model does not support temperature/)
    expect(text).toBe('')
  })

  it('uses the name of the limit that a reasoning model requires', async () => {
    expect((await call('openai', { params: { max_output_tokens: 50 } }, 'o3-mini')).error).toBeNull()
    expect(body()).toMatchObject({ max_completion_tokens: 50 })
    expect(body()['max_tokens']).toBeUndefined()
  })
})
