import { describe, expect, it } from 'vitest'
import { systemContext } from '../../../server/lib/context.ts'
import { createTelemetry } from '../../../server/telemetry/receive/receive.ts'
import { traceRequest } from './fixtures/otlp.ts'
import { now, server, setUpService, spanAt, spans, trace, workspace } from './protocol-support.ts'
import { runsIn, send } from './telemetry-support.ts'

setUpService()

/** Sends a span with one more attribute and returns its run. */
async function runWith(attribute: string, value: object) {
  const slug = `content-${spans}`
  const headers = await workspace(slug)
  const request = traceRequest(trace, {}, [spanAt(now(), { [attribute]: JSON.stringify(value) })])
  expect((await send(server, 'traces', request, { headers })).body).toEqual({})
  const [run] = await runsIn(server, slug)
  return run
}

describe('a call without captured texts', () => {
  it.each([
    // Arguments of the clients of OpenAI, Google, Anthropic and Cohere, as OpenInference records them.
    { instructions: 'parcel' },
    { systemInstruction: { parts: [{ text: 'parcel' }] } },
    { config: { system_instruction: 'parcel' } },
    { contents: ['parcel'] },
    { extra_body: { messages: ['parcel'] } },
    { documents: [{ snippet: 'parcel' }], query: 'parcel' },
    { prediction: { type: 'content', content: 'parcel' } },
    { response_format: { json_schema: { schema: { description: 'parcel' } } } },
    { client: { api_key: 'parcel', headers: { authorization: 'parcel' } } },
  ])('leaves no text and no credentials in the parameters: %o', async (params) => {
    const kept = { temperature: 0.5, stop: ['END'], max_output: 7, service_tier: 'flex' }
    const run = await runWith('llm.invocation_parameters', { ...kept, ...params })
    expect(run).toMatchObject({ params: kept })
    expect(JSON.stringify(run)).not.toContain('parcel')
  })

  it('leaves no text in the metadata that an app set', async () => {
    const run = await runWith('metadata', {
      plan: 'pro',
      prompt: 'parcel',
      user_input: 'parcel',
      messages: 2,
    })
    expect(run.metadata).toEqual({ span: 'chat', plan: 'pro', messages: 2 })
  })
})

describe('much telemetry', () => {
  it('does not block other work while its spans are converted', async () => {
    let hasRun = false
    setImmediate(() => {
      hasRun = true
    })
    const report = async () => expect(hasRun).toBe(true)
    const telemetry = createTelemetry({ report, reportSpans: async () => {}, runRetentionDays: () => 30 })
    const many = Array.from({ length: 5000 }, () => spanAt(now()))
    const body = Buffer.from(JSON.stringify(traceRequest(trace, {}, many)))
    const request = { signal: 'traces', encoding: 'json', body, workspace: null } as const
    await telemetry.receive(systemContext(new Date(), 'x'), request)
    expect.assertions(10)
  })

  it('in one attribute is stored as text, with a warning', async () => {
    const calls = `[${'{"type":"tool_call","name":"find"},'.repeat(130_000)}{}]`
    const request = traceRequest(trace, {}, [spanAt(now(), { 'gen_ai.output.messages': calls })])
    const { bytes } = await send(server, 'traces', request, { encoding: 'protobuf' })
    expect(bytes.toString()).toContain('longer than 4 MiB')
  })
})
