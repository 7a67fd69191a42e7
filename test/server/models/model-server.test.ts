import Anthropic from '@anthropic-ai/sdk'
import { Ollama } from 'ollama'
import OpenAI from 'openai'
import { describe, expect, it } from 'vitest'
import { key, server, setUpModelServer } from './model-server-support.ts'

setUpModelServer()

const openai = (apiKey = key) => new OpenAI({ apiKey, baseURL: `${server.url}/v1`, maxRetries: 0 })
const anthropic = () => new Anthropic({ apiKey: key, baseURL: server.url, maxRetries: 0 })
const ollama = () => new Ollama({ host: server.url })

const schema = {
  type: 'object',
  properties: { city: { type: 'string' } },
  required: ['city'],
  additionalProperties: false,
}
const messages = [{ role: 'user' as const, content: 'Hi world' }]
const chat = { model: 'gpt-4o-mini', messages }
const tool = { type: 'function' as const, function: { name: 'find', parameters: schema } }
const expectedUsage = {
  prompt_tokens: 11,
  completion_tokens: 7,
  total_tokens: 18,
  prompt_tokens_details: { cached_tokens: 4 },
  completion_tokens_details: { reasoning_tokens: 2 },
}

describe('openai, Chat Completions', () => {
  it('returns a complete reply', async () => {
    const reply = await openai().chat.completions.create(chat)
    expect(reply.choices[0]).toMatchObject({
      message: { role: 'assistant', content: 'You said: Hi world' },
      finish_reason: 'stop',
    })
    expect(reply.usage).toMatchObject(expectedUsage)
  })

  it('streams a reply that the client collects', async () => {
    const stream = openai().chat.completions.stream({ ...chat, stream_options: { include_usage: true } })
    const pieces: string[] = []
    stream.on('content', (piece) => pieces.push(piece))
    const reply = await stream.finalChatCompletion()
    expect(pieces.filter((piece) => piece !== '')).toEqual(['You ', 'said: ', 'Hi ', 'world'])
    expect(reply.choices[0]?.message.content).toBe('You said: Hi world')
    expect(reply.usage).toMatchObject(expectedUsage)
  })

  it('returns tool calls, complete and streamed', async () => {
    const body = { ...chat, tools: [tool], tool_choice: 'required' as const }
    const expected = { id: 'call_1', function: { name: 'find', arguments: '{"city":"mock"}' } }
    const complete = await openai().chat.completions.create(body)
    const streamed = await openai().chat.completions.stream(body).finalChatCompletion()
    for (const { choices } of [complete, streamed]) {
      expect(choices[0]?.finish_reason).toBe('tool_calls')
      expect(choices[0]?.message.tool_calls).toMatchObject([expected])
    }
  })

  it('returns JSON of a schema that the client parses', async () => {
    const reply = await openai().chat.completions.parse({
      ...chat,
      response_format: { type: 'json_schema', json_schema: { name: 'city', strict: true, schema } },
    })
    expect(reply.choices[0]?.message.parsed).toEqual({ city: 'mock' })
  })

  it('stops at the limit of output tokens', async () => {
    const reply = await openai().chat.completions.create({ ...chat, max_completion_tokens: 1 })
    expect(reply.choices[0]).toMatchObject({ message: { content: 'You ' }, finish_reason: 'length' })
  })

  it.each([
    [400, OpenAI.BadRequestError],
    [401, OpenAI.AuthenticationError],
    [404, OpenAI.NotFoundError],
    [429, OpenAI.RateLimitError],
    [500, OpenAI.InternalServerError],
  ])('returns the error %d', async (status, type) => {
    server.plan({ status, message: 'Because' })
    const error = await openai()
      .chat.completions.create(chat)
      .catch((thrown: unknown) => thrown)
    expect(error).toBeInstanceOf(type)
    expect(error).toMatchObject({ status, error: { message: 'Because' } })
  })

  it('rejects a wrong key and a missing field', async () => {
    await expect(openai('sk-wrong').models.list()).resolves.toMatchObject({ object: 'list' })
    await expect(openai('sk-wrong').chat.completions.create(chat)).rejects.toBeInstanceOf(
      OpenAI.AuthenticationError,
    )
    await expect(openai().chat.completions.create({ ...chat, messages: [] })).rejects.toBeInstanceOf(
      OpenAI.BadRequestError,
    )
  })

  it('sends an error in the stream', async () => {
    server.plan({ fault: 'error', message: 'Overloaded' })
    const reading = async () => {
      for await (const chunk of await openai().chat.completions.create({ ...chat, stream: true })) {
        expect(chunk.object).toBe('chat.completion.chunk')
      }
    }
    await expect(reading()).rejects.toMatchObject({ message: expect.stringContaining('Overloaded') })
  })

  it('sends a wait, after which the client retries', async () => {
    server.plan({ status: 429, headers: { 'retry-after-ms': '1' } })
    const client = new OpenAI({ apiKey: key, baseURL: `${server.url}/v1`, maxRetries: 1 })
    expect((await client.chat.completions.create(chat)).choices).toHaveLength(1)
    expect(server.seen).toHaveLength(2)
  })

  it('detects that the client disconnected', async () => {
    server.plan({ fault: 'stall' })
    const stream = await openai().chat.completions.create({ ...chat, stream: true })
    for await (const chunk of stream) {
      expect(chunk.choices).toHaveLength(1)
      break
    }
    expect(await (await server.request(0)).disconnected).toBe(true)
  })
})

describe('openai, Responses', () => {
  const body = { model: 'gpt-4o-mini', input: 'Hi world' }
  const usage = { input_tokens: 11, output_tokens: 7, total_tokens: 18 }

  it('returns a complete reply', async () => {
    const reply = await openai().responses.create(body)
    expect(reply.output_text).toBe('You said: Hi world')
    expect(reply).toMatchObject({ status: 'completed', usage })
  })

  it('streams a reply that the client collects', async () => {
    const stream = openai().responses.stream(body)
    const pieces: string[] = []
    stream.on('response.output_text.delta', ({ delta }) => pieces.push(delta))
    const reply = await stream.finalResponse()
    expect(pieces).toEqual(['You ', 'said: ', 'Hi ', 'world'])
    expect(reply.output_text).toBe('You said: Hi world')
    expect(reply.usage).toMatchObject(usage)
  })

  it('returns tool calls, complete and streamed', async () => {
    const tools = [{ type: 'function' as const, name: 'find', parameters: schema, strict: true }]
    const withTools = { ...body, tools, tool_choice: 'required' as const }
    const call = { type: 'function_call', call_id: 'call_1', name: 'find', arguments: '{"city":"mock"}' }
    expect((await openai().responses.create(withTools)).output).toMatchObject([call])
    expect((await openai().responses.stream(withTools).finalResponse()).output).toMatchObject([call])
  })

  it('returns JSON of a schema, stops at the limit, returns an error', async () => {
    const format = { type: 'json_schema' as const, name: 'city', schema, strict: true }
    const parsed = await openai().responses.parse({ ...body, text: { format } })
    expect(parsed.output_parsed).toEqual({ city: 'mock' })
    const cut = await openai().responses.create({ ...body, max_output_tokens: 1 })
    expect(cut).toMatchObject({ status: 'incomplete', incomplete_details: { reason: 'max_output_tokens' } })
    server.plan({ status: 429 })
    await expect(openai().responses.create(body)).rejects.toBeInstanceOf(OpenAI.RateLimitError)
  })
})

describe('@anthropic-ai/sdk', () => {
  const body = { model: 'claude-haiku-4-5', max_tokens: 100, messages }
  const usage = { input_tokens: 7, cache_read_input_tokens: 4, output_tokens: 7 }

  it('returns a complete reply', async () => {
    const reply = await anthropic().messages.create(body)
    expect(reply).toMatchObject({
      content: [{ type: 'text', text: 'You said: Hi world' }],
      stop_reason: 'end_turn',
      usage,
    })
  })

  it('streams a reply that the client collects', async () => {
    const stream = anthropic().messages.stream(body)
    const pieces: string[] = []
    stream.on('text', (piece) => pieces.push(piece))
    expect(await stream.finalText()).toBe('You said: Hi world')
    expect(pieces).toEqual(['You ', 'said: ', 'Hi ', 'world'])
    expect((await stream.finalMessage()).usage).toMatchObject(usage)
  })

  it('returns tool calls, complete and streamed', async () => {
    const tools = [{ name: 'find', input_schema: { ...schema, type: 'object' as const } }]
    const withTools = { ...body, tools, tool_choice: { type: 'any' as const } }
    const content = [{ type: 'tool_use', id: 'call_1', name: 'find', input: { city: 'mock' } }]
    expect(await anthropic().messages.create(withTools)).toMatchObject({ content, stop_reason: 'tool_use' })
    const streamed = await anthropic().messages.stream(withTools).finalMessage()
    expect(streamed).toMatchObject({ content, stop_reason: 'tool_use' })
  })

  it.each([
    [400, Anthropic.BadRequestError],
    [401, Anthropic.AuthenticationError],
    [429, Anthropic.RateLimitError],
    [529, Anthropic.InternalServerError],
  ])('returns the error %d', async (status, type) => {
    server.plan({ status, message: 'Because' })
    const error = await anthropic()
      .messages.create(body)
      .catch((thrown: unknown) => thrown)
    expect(error).toBeInstanceOf(type)
    expect(error).toMatchObject({ status, error: { error: { message: 'Because' } } })
  })

  it('lists models', async () => {
    expect((await anthropic().models.list()).data).toMatchObject([{ id: 'claude-haiku-4-5' }])
  })
})

describe('ollama', () => {
  const body = { model: 'llama3.2', messages }

  it('returns a complete reply', async () => {
    const reply = await ollama().chat(body)
    expect(reply.message.content).toBe('You said: Hi world')
    expect(reply).toMatchObject({ done: true, done_reason: 'stop', prompt_eval_count: 11, eval_count: 7 })
  })

  it('streams a reply', async () => {
    const pieces: string[] = []
    for await (const part of await ollama().chat({ ...body, stream: true })) pieces.push(part.message.content)
    expect(pieces).toEqual(['You ', 'said: ', 'Hi ', 'world', ''])
  })

  it('returns tool calls and JSON of a schema, stops at the limit, returns an error', async () => {
    const toolCalls = [{ id: '', name: 'find', arguments: { city: 'Bonn' } }]
    server.plan({ answer: { pieces: [], toolCalls } })
    const called = await ollama().chat(body)
    expect(called.message.tool_calls).toEqual([{ function: { name: 'find', arguments: { city: 'Bonn' } } }])
    const filled = await ollama().chat({ ...body, format: schema })
    expect(JSON.parse(filled.message.content)).toEqual({ city: 'mock' })
    const cut = await ollama().chat({ ...body, options: { num_predict: 1 } })
    expect(cut).toMatchObject({ message: { content: 'You ' }, done_reason: 'length' })
    server.plan({ status: 404, message: 'model not found' })
    await expect(ollama().chat(body)).rejects.toMatchObject({ message: 'model not found', status_code: 404 })
  })

  it('lists models', async () => {
    expect((await ollama().list()).models).toMatchObject([{ name: 'llama3.2:latest' }])
  })
})
