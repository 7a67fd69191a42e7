import Anthropic from '@anthropic-ai/sdk'
import { FunctionCallingConfigMode, ApiError as GoogleError, GoogleGenAI } from '@google/genai'
import { Ollama } from 'ollama'
import OpenAI from 'openai'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type GatewayTest, startGateway } from './gateway-support.ts'

// Clients that know nothing of this service: only their address and key differ.

let gateway: GatewayTest
beforeAll(async () => {
  gateway = await startGateway()
})
afterAll(() => gateway.close())
beforeEach(() => gateway.models.reset())

const at = (path: string) => `${gateway.server.url}/gateway/${path}`
const openai = () => new OpenAI({ apiKey: gateway.token, baseURL: at('openai/v1') })
const anthropic = () => new Anthropic({ apiKey: gateway.token, baseURL: at('anthropic') })
const google = () => new GoogleGenAI({ apiKey: gateway.token, httpOptions: { baseUrl: at('gemini') } })
const ollama = () => new Ollama({ host: at('ollama'), headers: { authorization: `Bearer ${gateway.token}` } })

const schema = { type: 'object' as const, properties: { city: { type: 'string' } }, required: ['city'] }
const chat = { model: 'gpt-4o-mini', messages: [{ role: 'user' as const, content: 'Hi world' }] }
const message = { model: 'claude-haiku-4-5', max_tokens: 100, messages: chat.messages }

describe('the client of OpenAI', () => {
  it('gets complete and streamed chats, with their runs', async () => {
    const { data, response } = await openai().chat.completions.create(chat).withResponse()
    expect(data.choices[0]?.message.content).toBe('You said: Hi world')
    expect(await gateway.run(response.headers.get('promptdeck-run-id'))).toMatchObject({
      provider: 'openai',
      model: 'gpt-4o-mini',
      status: 'ok',
      finish_reason: 'stop',
    })
    const stream = openai().chat.completions.stream(chat)
    expect((await stream.finalChatCompletion()).choices[0]?.message.content).toBe('You said: Hi world')
  })

  it('gets tools of chats and responses', async () => {
    const tool = { type: 'function' as const, function: { name: 'find', parameters: schema } }
    const body = { ...chat, tools: [tool], tool_choice: 'required' as const }
    const called = await openai().chat.completions.create(body).withResponse()
    expect(called.data.choices[0]?.message.tool_calls).toMatchObject([{ function: { name: 'find' } }])
    expect(await gateway.run(called.response.headers.get('promptdeck-run-id'))).toMatchObject({
      tool_names: ['find'],
      finish_reason: 'tool_calls',
    })
    const stream = openai().responses.stream({
      model: 'gpt-4o-mini',
      input: 'Hi world',
      tools: [{ type: 'function', name: 'find', parameters: schema, strict: false }],
      tool_choice: 'required',
    })
    const reply = await stream.finalResponse()
    expect(reply.output).toMatchObject([{ type: 'function_call', name: 'find' }])
  })

  it('gets embeddings and models', async () => {
    const { data, response } = await openai()
      .embeddings.create({ model: 'text-embedding-3-small', input: 'Hi', encoding_format: 'float' })
      .withResponse()
    expect(data.data[0]?.embedding).toEqual([0.25, -0.5, 1])
    expect(await gateway.run(response.headers.get('promptdeck-run-id'))).toMatchObject({
      model: 'text-embedding-3-small',
      prompt_tokens: 5,
      output_tokens: 0,
      reply_mark: null,
    })
    expect((await openai().models.list()).data).toMatchObject([{ id: 'gpt-4o-mini' }])
  })

  it('retries after a rate limit of the provider; each attempt is a run', async () => {
    const before = (await gateway.server.call('GET /api/runs?limit=1')).body.total
    gateway.models.plan({ status: 429, headers: { 'retry-after-ms': '1' } })
    const { data, response } = await openai().chat.completions.create(chat).withResponse()
    expect(data.choices).toHaveLength(1)
    expect(gateway.models.seen).toHaveLength(2)
    // The run of the second attempt may be stored after its reply.
    expect(await gateway.run(response.headers.get('promptdeck-run-id'))).toMatchObject({ status: 'ok' })
    const { body } = await gateway.server.call('GET /api/runs?limit=2&error_type=rate_limited')
    expect(body.total).toBe(1)
    expect((await gateway.server.call('GET /api/runs?limit=1')).body.total).toBe(before + 2)
  })

  it('understands errors of the provider and of the service', async () => {
    gateway.models.plan({ status: 400, message: 'Bad parameter' })
    await expect(openai().chat.completions.create(chat)).rejects.toThrow(OpenAI.BadRequestError)
    const stranger = new OpenAI({ apiKey: 'nobody', baseURL: at('openai/v1') })
    await expect(stranger.chat.completions.create(chat)).rejects.toThrow(OpenAI.AuthenticationError)
  })
})

describe('the client of Anthropic', () => {
  it('gets complete and streamed messages, counts and models', async () => {
    const reply = await anthropic().messages.create(message)
    expect(reply.content).toMatchObject([{ type: 'text', text: 'You said: Hi world' }])
    const streamed = await anthropic().messages.stream(message).finalMessage()
    expect(streamed.content).toMatchObject([{ type: 'text', text: 'You said: Hi world' }])
    const { model, messages } = message
    expect(await anthropic().messages.countTokens({ model, messages })).toEqual({ input_tokens: 21 })
    expect((await anthropic().models.list()).data).toMatchObject([{ id: 'claude-haiku-4-5' }])
  })

  it('gets tools', async () => {
    const { data, response } = await anthropic()
      .messages.create({
        ...message,
        tools: [{ name: 'find', input_schema: schema }],
        tool_choice: { type: 'any' },
      })
      .withResponse()
    expect(data.stop_reason).toBe('tool_use')
    expect(await gateway.run(response.headers.get('promptdeck-run-id'))).toMatchObject({
      provider: 'claude',
      tool_names: ['find'],
      prompt_tokens: 11,
      cached_tokens: 4,
    })
  })

  it('understands errors of the provider and of the service', async () => {
    gateway.models.plan({ status: 403, message: 'Not yours' })
    await expect(anthropic().messages.create(message)).rejects.toThrow(Anthropic.PermissionDeniedError)
    const stranger = new Anthropic({ apiKey: 'nobody', baseURL: at('anthropic') })
    await expect(stranger.messages.create(message)).rejects.toThrow(Anthropic.AuthenticationError)
  })

  it('is cancelled by its caller', async () => {
    gateway.models.plan({ fault: 'stall' })
    const stream = anthropic().messages.stream(message)
    await new Promise((resolve) => stream.once('text', resolve))
    const { disconnected } = await gateway.models.request(0)
    stream.abort()
    await expect(stream.finalMessage()).rejects.toThrow(Anthropic.APIUserAbortError)
    expect(await disconnected).toBe(true)
  })
})

describe('the client of Google', () => {
  const request = { model: 'gemini-2.5-flash', contents: 'Hi world' }

  it('gets complete and streamed replies and models', async () => {
    const reply = await google().models.generateContent(request)
    expect(reply.text).toBe('You said: Hi world')
    expect(await gateway.run(reply.sdkHttpResponse?.headers?.['promptdeck-run-id'] ?? null)).toMatchObject({
      provider: 'gemini',
      model: 'gemini-2.5-flash',
      prompt_tokens: 11,
      output_tokens: 7,
      reasoning_tokens: 2,
    })
    let text = ''
    for await (const part of await google().models.generateContentStream(request)) text += part.text ?? ''
    expect(text).toBe('You said: Hi world')
    const { page } = await google().models.list()
    expect(page[0]?.name).toMatch(/^models\/gemini/)
  })

  it('may use the version v1 of the API, as the one for Python does', async () => {
    const httpOptions = { baseUrl: at('gemini'), apiVersion: 'v1' }
    const client = new GoogleGenAI({ apiKey: gateway.token, httpOptions })
    expect((await client.models.generateContent(request)).text).toBe('You said: Hi world')
    // The address of the provider contains its version.
    expect(gateway.models.seen[0]?.path).toBe('/v1beta/models/gemini-2.5-flash:generateContent')
    const stranger = new GoogleGenAI({ apiKey: 'nobody', httpOptions })
    await expect(stranger.models.generateContent(request)).rejects.toMatchObject({ status: 401 })
  })

  it('gets tools', async () => {
    const reply = await google().models.generateContent({
      ...request,
      config: {
        tools: [{ functionDeclarations: [{ name: 'find', parametersJsonSchema: schema }] }],
        toolConfig: { functionCallingConfig: { mode: FunctionCallingConfigMode.ANY } },
      },
    })
    expect(reply.functionCalls).toMatchObject([{ name: 'find' }])
  })

  it('understands errors of the provider and of the service', async () => {
    gateway.models.plan({ status: 429, message: 'Slow down' })
    const refused = google().models.generateContent(request)
    await expect(refused).rejects.toThrow(GoogleError)
    await expect(refused).rejects.toMatchObject({
      status: 429,
      message: expect.stringContaining('Slow down'),
    })
    const stranger = new GoogleGenAI({ apiKey: 'nobody', httpOptions: { baseUrl: at('gemini') } })
    await expect(stranger.models.generateContent(request)).rejects.toMatchObject({ status: 401 })
  })

  it('is cancelled by its caller', async () => {
    gateway.models.plan({ fault: 'stall' })
    const controller = new AbortController()
    const config = { abortSignal: controller.signal }
    const stream = await google().models.generateContentStream({ ...request, config })
    await stream.next()
    const { disconnected } = await gateway.models.request(0)
    controller.abort()
    await expect(stream.next()).rejects.toThrow()
    expect(await disconnected).toBe(true)
  })
})

describe('the client of Ollama', () => {
  it('gets complete and streamed chats, embeddings and models', async () => {
    const body = { model: 'llama3.2', messages: chat.messages }
    expect((await ollama().chat(body)).message.content).toBe('You said: Hi world')
    let text = ''
    for await (const part of await ollama().chat({ ...body, stream: true })) text += part.message.content
    expect(text).toBe('You said: Hi world')
    expect((await ollama().embed({ model: 'nomic-embed-text', input: 'Hi' })).embeddings).toHaveLength(1)
    expect((await ollama().list()).models).toMatchObject([{ name: 'llama3.2:latest' }])
  })

  it('understands errors', async () => {
    gateway.models.plan({ status: 404, message: 'model not found' })
    await expect(ollama().chat({ model: 'x', messages: chat.messages })).rejects.toThrow('model not found')
    const stranger = new Ollama({ host: at('ollama') })
    await expect(stranger.list()).rejects.toThrow('Send an API token')
  })
})
