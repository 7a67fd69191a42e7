import { describe, expect, it } from 'vitest'
import type { ChatMessage, JsonSchema, ModelParams } from '../../../contract/models/models.ts'
import { body, call, models, server, setUpModelServer, tools } from './params-support.ts'

setUpModelServer()

describe('tools', () => {
  const choices: readonly (readonly [string, NonNullable<ModelParams['tool_choice']>, object])[] = [
    ['openai', 'auto', { tool_choice: 'auto' }],
    ['openai', 'none', { tool_choice: 'none' }],
    ['openai', 'required', { tool_choice: 'required' }],
    ['claude', 'auto', { tool_choice: { type: 'auto' } }],
    ['claude', 'none', { tool_choice: { type: 'none' } }],
    ['claude', 'required', { tool_choice: { type: 'any' } }],
    ['gemini', 'auto', { toolConfig: { functionCallingConfig: { mode: 'AUTO' } } }],
    ['gemini', 'none', { toolConfig: { functionCallingConfig: { mode: 'NONE' } } }],
    ['gemini', 'required', { toolConfig: { functionCallingConfig: { mode: 'ANY' } } }],
    ['openai-compatible', 'none', { tool_choice: 'none' }],
    ['openai-compatible', 'required', { tool_choice: 'required' }],
  ]
  it.each(choices)('%s sends the tool choice %s', async (name, tool_choice, expected) => {
    const got = await call(name, { tools, params: { tool_choice } })
    expect(got.error).toBeNull()
    expect(body()).toMatchObject(expected)
    expect(got.calls.map(({ name }) => name)).toEqual(tool_choice === 'required' ? ['find'] : [])
  })

  it('ollama sends no tools for the choice none', async () => {
    expect((await call('ollama', { tools, params: { tool_choice: 'none' } })).error).toBeNull()
    expect(body()['tools']).toBeUndefined()
    expect((await call('ollama', { tools, params: { tool_choice: 'auto' } })).error).toBeNull()
    expect(body()['tools']).toHaveLength(1)
  })

  it.each([...Object.keys(models), 'mock'])(
    '%s cannot be forced to call an undeclared tool',
    async (name) => {
      const { error } = await call(name, { params: { tool_choice: 'required' } })
      expect(error?.type).toBe('bad_request')
      expect(server.seen).toEqual([])
    },
  )

  it('returns arguments that are not JSON unchanged', async () => {
    const toolCalls = [{ id: 'call_1', name: 'find', arguments: 'Bonn' }]
    server.plan({ answer: { pieces: [], toolCalls } })
    expect((await call('ollama', { tools })).calls).toEqual(toolCalls)
  })
})

describe('schemas', () => {
  const open = { type: 'object', properties: { a: { type: 'string' } } }
  const closed = { ...open, required: ['a'], additionalProperties: false }
  const schemas: readonly (readonly [string, JsonSchema, boolean])[] = [
    ['closed and all required', closed, true],
    ['open', open, false],
    ['closed with an option', { ...closed, required: [] }, false],
    ['open inside', { ...closed, properties: { a: { type: 'array', items: open } } }, false],
    ['closed inside', { ...closed, properties: { a: { anyOf: [closed, { type: 'null' }] } } }, true],
  ]
  it.each(schemas)(
    'OpenAI gets a strict schema only if possible, %s: %o',
    async (_, responseSchema, strict) => {
      expect((await call('openai', { responseSchema })).error).toBeNull()
      expect(body()).toMatchObject({ response_format: { type: 'json_schema', json_schema: { strict } } })
    },
  )

  it('a Claude without structured output fills in a tool, whose arguments become the text', async () => {
    const got = await call('claude', { responseSchema: closed }, 'claude-3-haiku-20240307')
    expect(got).toMatchObject({ text: '{"a":"mock"}', calls: [], error: null })
    expect(body()['output_config']).toBeUndefined()
    expect(JSON.stringify(body()['tools'])).toContain('"name":"json"')
  })
})

const conversation: readonly ChatMessage[] = [
  { role: 'system', content: 'Be brief.' },
  { role: 'user', content: 'Where?' },
  {
    role: 'assistant',
    content: '',
    tool_calls: [
      { id: 'c1', name: 'find', arguments: { q: 'a' } },
      { id: 'c2', name: 'find', arguments: 'text' },
    ],
  },
  { role: 'tool', content: 'Bonn', tool_call_id: 'c1' },
  { role: 'tool', content: 'Rome', tool_call_id: 'c2', name: 'find' },
]
const functionCall = (id: string, args: string) => ({
  id,
  type: 'function',
  function: { name: 'find', arguments: args },
})
const openAiMessages = [
  { role: 'system', content: 'Be brief.' },
  { role: 'user', content: 'Where?' },
  {
    role: 'assistant',
    tool_calls: [functionCall('c1', '{"q":"a"}'), functionCall('c2', '{"value":"text"}')],
  },
  { role: 'tool', tool_call_id: 'c1', content: 'Bonn' },
  { role: 'tool', tool_call_id: 'c2', content: 'Rome' },
]

describe('messages', () => {
  it.each<[string, object]>([
    ['openai', { messages: openAiMessages }],
    ['openai-compatible', { messages: openAiMessages }],
    [
      'claude',
      {
        system: [{ type: 'text', text: 'Be brief.' }],
        messages: [
          { role: 'user', content: [{ type: 'text', text: 'Where?' }] },
          {
            role: 'assistant',
            content: [
              { type: 'tool_use', id: 'c1', name: 'find', input: { q: 'a' } },
              { type: 'tool_use', id: 'c2', name: 'find', input: { value: 'text' } },
            ],
          },
          {
            role: 'user',
            content: [
              { type: 'tool_result', tool_use_id: 'c1', content: 'Bonn' },
              { type: 'tool_result', tool_use_id: 'c2', content: 'Rome' },
            ],
          },
        ],
      },
    ],
    [
      'gemini',
      {
        systemInstruction: { parts: [{ text: 'Be brief.' }] },
        contents: [
          { role: 'user', parts: [{ text: 'Where?' }] },
          {
            role: 'model',
            parts: [
              { functionCall: { name: 'find', args: { q: 'a' } } },
              { functionCall: { name: 'find', args: { value: 'text' } } },
            ],
          },
          {
            role: 'user',
            parts: [
              { functionResponse: { name: 'find', response: { name: 'find', content: 'Bonn' } } },
              { functionResponse: { name: 'find', response: { name: 'find', content: 'Rome' } } },
            ],
          },
        ],
      },
    ],
    [
      'ollama',
      {
        messages: [
          { role: 'system', content: 'Be brief.' },
          { role: 'user', content: 'Where?' },
          {
            role: 'assistant',
            content: '',
            tool_calls: [
              { function: { name: 'find', arguments: { q: 'a' } } },
              { function: { name: 'find', arguments: { value: 'text' } } },
            ],
          },
          { role: 'tool', content: 'Bonn', tool_name: 'find' },
          { role: 'tool', content: 'Rome', tool_name: 'find' },
        ],
      },
    ],
  ])('%s gets tool calls and their results in its own form', async (name, expected) => {
    expect((await call(name, { tools, messages: conversation })).error).toBeNull()
    expect(body()).toMatchObject(expected)
  })

  it.each<[string, object]>([
    ['openai', { response_format: { type: 'json_object' } }],
    ['openai-compatible', { response_format: { type: 'json_object' } }],
    ['gemini', { generationConfig: { responseMimeType: 'application/json' } }],
    ['ollama', { format: 'json' }],
  ])('%s is asked for JSON without a schema', async (name, expected) => {
    expect((await call(name, { isJson: true })).error).toBeNull()
    expect(body()).toMatchObject(expected)
  })

  it('claude refuses JSON without a schema', async () => {
    const { error } = await call('claude', { isJson: true })
    expect(error).toMatchObject({ type: 'bad_request', message: expect.stringMatching(/response.?format/i) })
  })

  it.each(['claude', 'gemini'])('%s refuses instructions between the messages', async (name) => {
    const { error } = await call(name, {
      messages: [
        { role: 'user', content: 'one' },
        { role: 'system', content: 'two' },
        { role: 'user', content: 'three' },
      ],
    })
    expect(error).toMatchObject({ type: 'bad_request', message: expect.stringMatching(/system/) })
    expect(server.seen).toEqual([])
  })
})
