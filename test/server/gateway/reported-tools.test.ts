import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type ScriptedServer, startScriptedServer } from '../../support/model-server/scripted.ts'
import { type GatewayTest, providerKey, startGateway } from './gateway-support.ts'

let gateway: GatewayTest
let scripted: ScriptedServer

beforeAll(async () => {
  gateway = await startGateway()
  scripted = await startScriptedServer()
  for (const name of ['openai', 'claude', 'gemini']) {
    const body = { base_url: `${scripted.url}/v1`, local: true, api_key: providerKey }
    expect(await gateway.server.call(`PATCH /api/providers/${name}`, { body })).toMatchObject({ status: 200 })
  }
  await gateway.server.call('PATCH /api/settings', { body: { capture: 'full' } })
})
afterAll(async () => {
  await gateway.close()
  await scripted.close()
})

const chatCall = { id: 'c1', type: 'custom', custom: { name: 'apply_patch', input: '*** Begin' } }
const chatReply = {
  object: 'chat.completion',
  choices: [
    { index: 0, message: { role: 'assistant', tool_calls: [chatCall] }, finish_reason: 'tool_calls' },
  ],
}
const earlierReply = {
  object: 'chat.completion',
  choices: [
    {
      index: 0,
      message: { role: 'assistant', content: null, function_call: { name: 'look_up', arguments: '{"a":1}' } },
      finish_reason: 'function_call',
    },
  ],
}
const items = [
  { type: 'custom_tool_call', id: 'i1', call_id: 'c1', name: 'apply_patch', input: '*** Begin' },
  { type: 'mcp_call', id: 'i2', server_label: 'wiki', name: 'look_up', arguments: '{"a":1}' },
  { type: 'computer_call', id: 'i3', call_id: 'c3', action: { type: 'click', x: 1 } },
  { type: 'image_generation_call', id: 'i4', result: 'AAAA' },
]
const response = { id: 'r', object: 'response', status: 'completed', model: 'm', output: items }
const message = {
  type: 'message',
  id: 'm',
  model: 'm',
  content: [{ type: 'mcp_tool_use', id: 't1', name: 'look_up', server_name: 'wiki', input: { a: 1 } }],
  stop_reason: 'end_turn',
}
const chat = { model: 'm', messages: [{ role: 'user', content: 'Hi' }] }
const patched = { id: 'c1', name: 'apply_patch', arguments: '*** Begin' }

describe('the run of a call', () => {
  it.each([
    ['Chat Completions', 'openai/v1/chat/completions', chat, chatReply, [patched]],
    [
      'an earlier form of Chat Completions',
      'openai/v1/chat/completions',
      chat,
      earlierReply,
      [{ id: 'call_1', name: 'look_up', arguments: { a: 1 } }],
    ],
    [
      'Responses',
      'openai/v1/responses',
      { model: 'm', input: 'Hi' },
      response,
      [
        patched,
        { id: 'i2', name: 'look_up', arguments: { a: 1 } },
        { id: 'c3', name: 'computer', arguments: { type: 'click', x: 1 } },
        { id: 'i4', name: 'image_generation', arguments: {} },
      ],
    ],
    [
      'Messages',
      'anthropic/v1/messages',
      { ...chat, max_tokens: 9 },
      message,
      [{ id: 't1', name: 'look_up', arguments: { a: 1 } }],
    ],
  ])('has the tools that %s called', async (name, path, body, reply, tools) => {
    scripted.reply(name, {
      status: 200,
      headers: ['content-type', 'application/json'],
      chunks: [Buffer.from(JSON.stringify(reply))],
    })
    const answer = await gateway.call(path, body, { headers: { 'x-case': name } })
    await answer.text()
    const run = await gateway.run(answer.headers.get('promptdeck-run-id'))
    expect(run).toMatchObject({ status: 'ok', tool_names: tools.map((tool) => tool.name).sort() })
    expect(JSON.parse(String(run['output']))).toMatchObject({ tool_calls: tools })
  })

  it('has the time of the first token if a stream begins with the input of a custom tool', async () => {
    const event = { type: 'response.custom_tool_call_input.delta', delta: '***' }
    scripted.reply('stream', {
      status: 200,
      headers: ['content-type', 'text/event-stream'],
      chunks: [Buffer.from(`data: ${JSON.stringify(event)}\n\n`)],
      end: 'drop',
    })
    const body = { model: 'm', input: 'Hi', stream: true }
    const answer = await gateway.call('openai/v1/responses', body, { headers: { 'x-case': 'stream' } })
    await answer.text().catch(() => null)
    const run = await gateway.run(answer.headers.get('promptdeck-run-id'))
    expect(run).toMatchObject({ status: 'error', ttft_ms: expect.any(Number) })
  })

  it.each([
    ['reasoning', [{ index: 0, delta: { reasoning_content: 'one two three' } }]],
    ['further choices', [1, 2, 3].map((index) => ({ index, delta: { content: 'one' } }))],
  ])('has estimated tokens of %s, which is not stored', async (name, hidden) => {
    const choices = [{ index: 0, delta: { content: 'four' } }, ...hidden]
    const events = choices.map((choice) => ({ object: 'chat.completion.chunk', choices: [choice] }))
    scripted.reply(name, {
      status: 200,
      headers: ['content-type', 'text/event-stream'],
      chunks: events.map((event) => Buffer.from(`data: ${JSON.stringify(event)}\n\n`)),
    })
    const body = { ...chat, stream: true, n: 4 }
    const answer = await gateway.call('openai/v1/chat/completions', body, { headers: { 'x-case': name } })
    await answer.text()
    const run = await gateway.run(answer.headers.get('promptdeck-run-id'))
    expect(run).toMatchObject({ output: 'four', output_tokens: 4, tokens_estimated: true })
  })

  const usageMetadata = {
    promptTokenCount: 5,
    toolUsePromptTokenCount: 11,
    candidatesTokenCount: 2,
    thoughtsTokenCount: 3,
    totalTokenCount: 21,
  }
  const candidates = [{ content: { role: 'model', parts: [{ text: 'Hi' }] }, finishReason: 'STOP' }]
  const input = { cache_read_input_tokens: 100, cache_creation_input_tokens: 20 }
  const start = { message: { type: 'message', usage: { input_tokens: 5, ...input, output_tokens: 1 } } }
  const texts = ['Hi', 'Hi'].map((text) => ({ model: 'models/e', content: { parts: [{ text }] } }))

  it.each([
    [
      'the results of the tools of Gemini as part of the prompt',
      'gemini/v1beta/models/gemini-2.5-flash:generateContent',
      { contents: [{ parts: [{ text: 'Hi' }] }] },
      [{ candidates, usageMetadata }],
      { prompt_tokens: 16, output_tokens: 5, total_tokens: 21 },
    ],
    [
      'the cached tokens of Anthropic also if only the start of a stream has them',
      'anthropic/v1/messages',
      { ...chat, max_tokens: 9, stream: true },
      [
        { type: 'message_start', ...start },
        { type: 'message_delta', delta: {}, usage: { input_tokens: 5, output_tokens: 7 } },
      ],
      { prompt_tokens: 125, cached_tokens: 100, output_tokens: 7 },
    ],
    [
      'the texts of embeddings without the name of the model',
      'gemini/v1beta/models/e:batchEmbedContents',
      { requests: texts },
      [{ embeddings: [{ values: [1] }] }],
      { prompt_tokens: 3, tokens_estimated: true },
    ],
  ])('counts %s', async (name, path, body, events, expected) => {
    const isStream = events.length > 1
    const chunks = events.map((event) => `${isStream ? 'data: ' : ''}${JSON.stringify(event)}\n\n`)
    scripted.reply(name, {
      status: 200,
      headers: ['content-type', isStream ? 'text/event-stream' : 'application/json'],
      chunks: chunks.map((chunk) => Buffer.from(chunk)),
    })
    const answer = await gateway.call(path, body, { headers: { 'x-case': name } })
    await answer.text()
    expect(await gateway.run(answer.headers.get('promptdeck-run-id'))).toMatchObject(expected)
  })
})
