import { OTLPTraceExporter as JsonExporter } from '@opentelemetry/exporter-trace-otlp-http'
import { OTLPTraceExporter as ProtobufExporter } from '@opentelemetry/exporter-trace-otlp-proto'
import { BasicTracerProvider, SimpleSpanProcessor } from '@opentelemetry/sdk-trace-base'
import { describe, expect, it } from 'vitest'
import { loadCodec } from '../../../server/telemetry/protocol/codec.ts'
import { serviceToken } from '../../support/service.ts'
import { current } from './fixtures/gen-ai.ts'
import { traceRequest } from './fixtures/otlp.ts'
import {
  call,
  json,
  now,
  protobuf,
  server,
  setUpService,
  spanAt,
  spans,
  trace,
  workspace,
} from './protocol-support.ts'
import { post, runsIn, send } from './telemetry-support.ts'

setUpService()

describe('a request', () => {
  it('without records succeeds', async () => {
    expect((await post(server, 'traces', '{}', json)).body).toEqual({})
    const binary = await post(server, 'logs', '', protobuf)
    expect({ status: binary.status, type: binary.type, bytes: binary.bytes.length }).toEqual({
      status: 200,
      type: 'application/x-protobuf',
      bytes: 0,
    })
  })

  it('is accepted below the base path', async () => {
    const reply = await fetch(`${server.url}/deck/v1/traces`, {
      method: 'POST',
      headers: { ...json, authorization: `Bearer ${serviceToken}` },
      body: '{}',
    })
    expect(reply.status).toBe(200)
  })

  it('is stored without the records that are rejected, which are counted', async () => {
    const headers = await workspace('partial')
    const request = traceRequest(trace, {}, [
      spanAt(now()),
      spanAt(now() + 3_600_000),
      spanAt(now() + 3_600_000),
      spanAt(now() - 400 * 86_400_000),
      spanAt(now(), {}, 25 * 3_600_000),
      { ...spanAt(now()), span: '0'.repeat(16) },
      spanAt(now(), { 'promptdeck.workspace': 'nowhere' }),
      spanAt(now()),
    ])
    const reply = await send(server, 'traces', request, { headers })
    expect(reply.status).toBe(200)
    expect(reply.body.partialSuccess.rejectedSpans).toBe('6')
    for (const reason of [
      'future (2 times)',
      'Older than the retention',
      '24 hours',
      'span ID',
      'Workspace not found',
    ])
      expect(reply.body.partialSuccess.errorMessage).toContain(reason)
    expect(await runsIn(server, 'partial')).toHaveLength(2)
  })

  it('with a span that ends before it starts is stored, with a warning', async () => {
    const headers = await workspace('skew')
    const request = traceRequest(trace, {}, [spanAt(now(), {}, -50)])
    const reply = await send(server, 'traces', request, { headers, encoding: 'protobuf' })
    const { partialSuccess } = (await loadCodec()).decode('ExportTraceServiceResponse', reply.bytes) as {
      partialSuccess: { rejectedSpans: unknown; errorMessage: string }
    }
    expect(Number(partialSuccess.rejectedSpans)).toBe(0)
    expect(partialSuccess.errorMessage).toContain('ends before it starts')
    expect(await runsIn(server, 'skew')).toMatchObject([{ latency_ms: 0 }])
  })

  it('with wrong types and huge attributes is bounded', async () => {
    const headers = await workspace('bounds')
    const many = Object.fromEntries(
      Array.from({ length: 500 }, (_, index) => [`app.attribute_${index}`, 'v'.repeat(300)]),
    )
    const request = traceRequest(trace, {}, [
      spanAt(now(), {
        ...many,
        'gen_ai.usage.input_tokens': 'many',
        'gen_ai.usage.output_tokens': -5,
        'gen_ai.response.finish_reasons': 'stop',
        'gen_ai.request.temperature': 'warm',
        metadata: '{"":1,"plan":"pro"}',
        ['x'.repeat(100)]: 1,
        'http.request.header.authorization': 'Bearer secret-canary',
        'gen_ai.output.messages': 'z'.repeat(600_000),
      }),
    ])
    expect((await send(server, 'traces', request, { headers })).body).toEqual({})
    const [run] = await runsIn(server, 'bounds')
    expect(run).toMatchObject({ prompt_tokens: null, output_tokens: null, finish_reason: 'stop' })
    expect(run.metadata.plan).toBe('pro')
    expect(JSON.stringify(run.metadata).length).toBeLessThanOrEqual(4096)
    expect(run.metadata.dropped_attributes).toBeGreaterThan(450)
    expect(JSON.stringify(run)).not.toContain('secret-canary')
  })

  it('leaves no text of messages where capture is off', async () => {
    const headers = await workspace('quiet')
    await send(server, 'traces', current.request(now()), { headers })
    const [run] = await runsIn(server, 'quiet')
    expect(run).toMatchObject({ content_state: 'off', input: null, output: null })
    expect(JSON.stringify(run)).not.toContain('parcel')
  })

  it.each([
    // Attributes of Google ADK, Pydantic AI, Logfire, MLflow, Langfuse, CrewAI, and of instrumentation of
    // HTTP and databases.
    ['gcp.vertex.agent.llm_request', '{"contents":[{"text":"parcel"}]}'],
    ['gcp.vertex.agent.llm_response', '{"content":"parcel"}'],
    ['pydantic_ai.all_messages', '[{"content":"parcel"}]'],
    ['events', '[{"content":"parcel"}]'],
    ['final_result', 'parcel'],
    ['request_data', '{"messages":["parcel"]}'],
    ['response_data', ' {"message":"parcel"}'],
    ['mlflow.spanInputs', '"parcel"'],
    ['langfuse.observation.input', 'parcel'],
    ['langfuse.trace.output', 'parcel'],
    ['tool_arguments', 'parcel'],
    ['logfire.msg', 'parcel'],
    ['crewai.agent.goal', 'parcel'],
    ['llm.function_call', 'parcel'],
    ['http.request.body', 'parcel'],
    ['db.query.text', 'parcel'],
    ['user_question', 'parcel'],
    ['app.last_message', 'parcel'],
    ['app.structured', '{"any":"parcel"}'],
    ['app.python', "[{'any': 'parcel'}]"],
  ])('leaves no text in the metadata: %s', async (name, value) => {
    const slug = `quiet-${spans}`
    const headers = await workspace(slug)
    const kept = { 'app.plan': '[beta] {pro}', 'app.events': 3 }
    const request = traceRequest(trace, {}, [spanAt(now(), { [name]: value, ...kept })])
    await send(server, 'traces', request, { headers })
    const [run] = await runsIn(server, slug)
    expect(run.metadata).toEqual({ span: 'chat', ...kept })
  })

  it('with JSON in an attribute that is nested deeply is stored', async () => {
    const headers = await workspace('deep')
    const deep = '['.repeat(50_000) + ']'.repeat(50_000)
    const names = ['gen_ai.input.messages', 'gen_ai.output.messages', 'llm.invocation_parameters', 'metadata']
    const request = traceRequest(
      trace,
      {},
      names.map((name) => spanAt(now(), { [name]: name === 'metadata' ? `{"a":${deep}}` : deep })),
    )
    expect((await send(server, 'traces', request, { headers })).body).toEqual({})
    expect(await runsIn(server, 'deep')).toHaveLength(names.length)
  })
})

describe('a call', () => {
  it('that an app reported with its response id is stored once', async () => {
    const headers = await workspace('twice')
    const report = { provider: 'openai', model: 'gpt-4o', latency_ms: 5, status: 'ok', workspace_id: 'twice' }
    const { body } = await server.call('POST /api/runs', {
      body: { ...report, response_id: 'chatcmpl-current' },
    })
    await send(server, 'traces', current.request(now()), { headers })
    expect((await runsIn(server, 'twice')).map(({ id }) => id)).toEqual([body.data.id])
  })

  it('that several spans of a request repeat is stored once', async () => {
    const headers = await workspace('repeated')
    const span = spanAt(now())
    const other = spanAt(now(), { 'gen_ai.response.id': 'same' })
    const again = spanAt(now() + 10, { 'gen_ai.response.id': 'same' })
    await send(server, 'traces', traceRequest(trace, {}, [span, span, other, again]), { headers })
    expect(await runsIn(server, 'repeated')).toHaveLength(2)
  })

  it('is stored in the workspace and the environment of a limited token, and in no other', async () => {
    const { body: place } = await server.call('POST /api/workspaces', {
      body: { name: 'limited', slug: 'limited' },
    })
    const { body } = await server.call('POST /api/tokens', {
      body: { name: 'otel', role: 'viewer', workspace: 'limited', namespaces: ['test'] },
    })
    const headers = { authorization: `Bearer ${body.data.token}` }
    const request = traceRequest(trace, {}, [
      spanAt(now()),
      spanAt(now(), { 'promptdeck.workspace': 'default' }),
    ])
    const reply = await send(server, 'traces', request, { headers })
    expect(reply.body.partialSuccess).toEqual({
      rejectedSpans: '1',
      errorMessage: 'This token is for another workspace.',
    })
    const resource = { 'deployment.environment.name': 'production' }
    const other = await send(server, 'traces', traceRequest(trace, resource, [spanAt(now())]), { headers })
    expect(other.body.partialSuccess).toEqual({
      rejectedSpans: '1',
      errorMessage: 'This token is for test only.',
    })
    expect(await runsIn(server, 'limited')).toMatchObject([
      { env: 'test', token: 'otel', workspace_id: place.data.id },
    ])
  })
})

describe('the official exporter for Node', () => {
  it.each([
    ['http/protobuf', ProtobufExporter],
    ['http/json', JsonExporter],
  ])('sends over %s', async (protocol, Exporter) => {
    const slug = protocol.replace('/', '-')
    const headers = { authorization: `Bearer ${serviceToken}`, ...(await workspace(slug)) }
    const exporter = new Exporter({ url: `${server.url}/v1/traces`, headers })
    const provider = new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] })
    const tracer = provider.getTracer('test')
    tracer.startSpan('not a call').end()
    tracer.startSpan('chat', { attributes: { ...call, 'gen_ai.usage.input_tokens': 3 } }).end()
    await provider.shutdown()
    expect(await runsIn(server, slug)).toMatchObject([
      { provider: 'openai', model: 'gpt-4o', prompt_tokens: 3, metadata: { span: 'chat' } },
    ])
  })
})

it('describes both endpoints in OpenAPI with both encodings', async () => {
  const { body } = await server.call('GET /openapi.json', { token: null })
  for (const path of ['/v1/traces', '/v1/logs']) {
    const { requestBody, responses, security } = body.paths[path].post
    expect(Object.keys(requestBody.content).toSorted()).toEqual([
      'application/json',
      'application/x-protobuf',
    ])
    expect(Object.keys(responses['400'].content)).toContain('application/x-protobuf')
    expect(Object.keys(responses)).toEqual(
      expect.arrayContaining(['200', '401', '403', '413', '415', '429', '503']),
    )
    expect(security).toEqual([{ bearer: [] }])
  }
})
