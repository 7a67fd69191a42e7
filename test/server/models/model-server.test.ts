import OpenAI from 'openai'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type ModelServer, startModelServer } from '../../support/model-server/server.ts'

// Clients of the providers parse the replies of the local server, which proves that it implements their protocols:
// here those that neither the adapters (providers.test.ts) nor ../gateway/clients.test.ts use.

const key = 'sk-test-0123456789'
let server: ModelServer
beforeAll(async () => {
  server = await startModelServer({ key })
})
afterAll(() => server.close())
beforeEach(() => server.reset())

const openai = (apiKey = key) => new OpenAI({ apiKey, baseURL: `${server.url}/v1`, maxRetries: 0 })
const schema = {
  type: 'object',
  properties: { city: { type: 'string' } },
  required: ['city'],
  additionalProperties: false,
}

it('Chat Completions reject a wrong key and a missing field', async () => {
  const chat = { model: 'gpt-4o-mini', messages: [{ role: 'user' as const, content: 'Hi world' }] }
  await expect(openai('sk-wrong').models.list()).resolves.toMatchObject({ object: 'list' })
  const wrongKey = openai('sk-wrong').chat.completions.create(chat)
  await expect(wrongKey).rejects.toBeInstanceOf(OpenAI.AuthenticationError)
  const incomplete = openai().chat.completions.create({ ...chat, messages: [] })
  await expect(incomplete).rejects.toBeInstanceOf(OpenAI.BadRequestError)
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
