import { describe, expect, it } from 'vitest'
import { chat, client, messages, post, runIn, setUpService, text } from './offline-support.ts'

setUpService()

const schema = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] }
const tools = [{ type: 'function' as const, function: { name: 'find', parameters: schema } }]

describe('a chat without a provider', () => {
  it('is complete, and its run has the fields of any other', async () => {
    const { data, response } = await client().chat.completions.create(chat).withResponse()
    expect(data).toMatchObject({
      object: 'chat.completion',
      model: 'mock-small',
      choices: [{ index: 0, message: { role: 'assistant', content: text }, finish_reason: 'stop' }],
      usage: { prompt_tokens: 2, completion_tokens: 5, total_tokens: 7 },
    })
    expect(await runIn(response)).toMatchObject({
      source: 'gateway',
      provider: 'mock',
      model: 'mock-small',
      response_model: 'mock-small',
      response_id: data.id,
      status: 'ok',
      finish_reason: 'stop',
      prompt_tokens: 2,
      output_tokens: 5,
      tokens_estimated: false,
      cost_usd: 0,
      ttft_ms: null,
      app: 'first app',
      input: { messages },
      output: text,
      reply_mark: null,
    })
  })

  it('is a stream, with its usage if it is asked for', async () => {
    const { data, response } = await client()
      .chat.completions.create({ ...chat, stream: true, stream_options: { include_usage: true } })
      .withResponse()
    const chunks = []
    for await (const chunk of data) chunks.push(chunk)
    expect(chunks.map(({ choices }) => choices[0]?.delta.content ?? '').join('')).toBe(text)
    expect(chunks.slice(0, -1).every(({ usage }) => usage === null)).toBe(true)
    expect(chunks.at(-1)).toMatchObject({ choices: [], usage: { total_tokens: 7 } })
    const run = await runIn(response)
    expect(run).toMatchObject({ output: text, output_tokens: 5, tokens_estimated: false })
    expect(run['ttft_ms']).toBeGreaterThan(0)
    const plain = await post('chat/completions', { ...chat, stream: true })
    expect(await plain.text()).not.toContain('usage')
  })

  it('calls a required tool, returns JSON of a schema, and ends at its limit', async () => {
    const called = { ...chat, tools, tool_choice: 'required' as const }
    const { data, response } = await client().chat.completions.create(called).withResponse()
    expect(data.choices).toMatchObject([
      {
        message: {
          content: null,
          tool_calls: [{ function: { name: 'find', arguments: '{"city":"mock"}' } }],
        },
        finish_reason: 'tool_calls',
      },
    ])
    expect(await runIn(response)).toMatchObject({ tool_names: ['find'] })
    const named = { type: 'function' as const, function: { name: 'find' } }
    const streamed = client().chat.completions.stream({ ...chat, tools, tool_choice: named })
    expect((await streamed.finalMessage()).tool_calls).toMatchObject([{ function: { name: 'find' } }])
    const patch = { type: 'custom' as const, custom: { name: 'apply_patch' } }
    const allowed_tools = { mode: 'required' as const, tools: [named] }
    const choice = { type: 'allowed_tools' as const, allowed_tools }
    const other = { ...tools[0], function: { name: 'other' } } as (typeof tools)[0]
    const list = [patch, other, ...tools]
    const among = await client().chat.completions.create({ ...chat, tools: list, tool_choice: choice })
    expect(among.choices[0]?.message.tool_calls).toMatchObject([{ function: { name: 'find' } }])
    const custom = client().chat.completions.create({ ...called, tools: [patch] })
    await expect(custom).rejects.toThrow('no tool is declared')
    const format = { type: 'json_schema' as const, json_schema: { name: 'place', schema } }
    const json = await client().chat.completions.create({ ...chat, response_format: format })
    expect(json.choices[0]?.message.content).toBe('{"city":"mock"}')
    const cut = await client().chat.completions.create({ ...chat, max_completion_tokens: 2 })
    expect(cut.choices).toMatchObject([{ message: { content: 'mock completion ' }, finish_reason: 'length' }])
  })

  it('that its caller ends is cancelled', async () => {
    // The second word is due long after the test.
    const body = { ...chat, stream: true as const, mock: { tokens_per_second: 0.001 } }
    const { data, response } = await client().chat.completions.create(body).withResponse()
    for await (const { choices } of data) if (choices[0]?.delta.content !== '') break
    expect(await runIn(response)).toMatchObject({ status: 'error', error_type: 'cancelled' })
  })
})

describe('a response without a provider', () => {
  const body = { model: 'mock-small', instructions: 'Be kind', input: messages }

  it('is complete', async () => {
    const { data, response } = await client().responses.create(body).withResponse()
    expect(data).toMatchObject({ status: 'completed', output_text: text, usage: { input_tokens: 4 } })
    expect(await runIn(response)).toMatchObject({
      provider: 'mock',
      response_id: data.id,
      prompt_tokens: 4,
      output_tokens: 5,
      output: text,
    })
    const cut = await client().responses.create({ ...body, input: 'Hello', max_output_tokens: 1 })
    expect(cut.incomplete_details).toEqual({ reason: 'max_output_tokens' })
  })

  it('is a stream, with tools', async () => {
    const stream = client().responses.stream(body)
    let streamed = ''
    stream.on('response.output_text.delta', ({ delta }) => {
      streamed += delta
    })
    expect((await stream.finalResponse()).output_text).toBe(text)
    expect(streamed).toBe(text)
    const find = { type: 'function' as const, name: 'find', parameters: schema, strict: false }
    const choice = { type: 'allowed_tools' as const, mode: 'required' as const, tools: [find] }
    const called = client().responses.stream({ ...body, tools: [find], tool_choice: choice })
    expect((await called.finalResponse()).output).toMatchObject([
      { type: 'function_call', name: 'find', arguments: '{"city":"mock"}' },
    ])
  })
})
