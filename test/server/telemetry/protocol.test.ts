import { type ClientRequest, request } from 'node:http'
import { gzipSync } from 'node:zlib'
import { OTLPTraceExporter as JsonExporter } from '@opentelemetry/exporter-trace-otlp-http'
import { OTLPTraceExporter as ProtobufExporter } from '@opentelemetry/exporter-trace-otlp-proto'
import { BasicTracerProvider, SimpleSpanProcessor } from '@opentelemetry/sdk-trace-base'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { maxOtlpBytes } from '../../../contract/telemetry/telemetry.ts'
import { loadCodec } from '../../../server/telemetry/protocol/codec.ts'
import { serviceToken, startTestServer, type TestServer } from '../../support/service.ts'
import { codex } from './fixtures/agents.ts'
import { current } from './fixtures/gen-ai.ts'
import { type Attributes, traceRequest } from './fixtures/otlp.ts'
import { encode, post, type Reply, requestNames, runsIn, send } from './telemetry-support.ts'

let server: TestServer
beforeAll(async () => {
  server = await startTestServer({ env: { BASE_PATH: '/deck' } })
})
afterAll(() => server.close())

const json = { 'content-type': 'application/json' }
const protobuf = { 'content-type': 'application/x-protobuf' }
const call: Attributes = {
  'gen_ai.operation.name': 'chat',
  'gen_ai.provider.name': 'openai',
  'gen_ai.request.model': 'gpt-4o',
}

let spans = 0
/** Returns the id of a span that no other test uses. */
const nextId = () => (++spans).toString(16).padStart(16, '0')
const trace = 'ab'.repeat(16)
const spanAt = (at: number, attributes: Attributes = {}, ms = 100) => ({
  span: nextId(),
  name: 'chat',
  at,
  ms,
  attributes: { ...call, ...attributes },
})
const now = () => Date.now() - 1000

async function workspace(slug: string): Promise<{ 'promptdeck-workspace': string }> {
  await server.call('POST /api/workspaces', { body: { name: slug, slug } })
  return { 'promptdeck-workspace': slug }
}

/** Encodes a field with a length, of a number below 16. */
function field(number: number, content: Buffer): Buffer {
  const length: number[] = []
  let rest = content.length
  for (; rest >= 128; rest = Math.floor(rest / 128)) length.push((rest % 128) + 128)
  return Buffer.concat([Buffer.from([number * 8 + 2, ...length, rest]), content])
}

async function statusIn(reply: Reply): Promise<{ code: number; message: string; reason: string }> {
  if (reply.body !== undefined)
    return { code: reply.body.code, message: reply.body.message, reason: reply.body.details[0].reason }
  const codec = await loadCodec()
  const status = codec.decode('Status', reply.bytes) as {
    code: number
    message: string
    details: { value: Buffer }[]
  }
  const info = codec.decode('ErrorInfo', Buffer.from(status.details[0]?.value ?? '')) as { reason: string }
  return { code: status.code, message: status.message, reason: info.reason }
}

describe('errors', () => {
  it.each([
    ['truncated Protobuf', Buffer.from([0x0a, 0x7f, 1]), protobuf],
    ['Protobuf of another kind', Buffer.from('{"resourceSpans":[]}'), protobuf],
    ['text that is not JSON', '{"resourceSpans":', json],
    ['a list of a wrong type', '{"resourceSpans":"x"}', json],
    ['a span of a wrong type', '{"resourceSpans":[{"scopeSpans":[{"spans":[7]}]}]}', json],
    ['invalid gzip', 'abc', { ...json, 'content-encoding': 'gzip' }],
    ['JSON that is nested too deeply', `{"resourceSpans":${'['.repeat(5000)}${']'.repeat(5000)}}`, json],
    ['an empty JSON body', '', json],
  ])('of %s are 400 in the encoding of the request', async (_, body, headers) => {
    const reply = await post(server, 'traces', body, headers)
    expect({ status: reply.status, type: reply.type }).toEqual({ status: 400, type: headers['content-type'] })
    expect(await statusIn(reply)).toMatchObject({ code: 3, reason: 'request.malformed' })
    expect(reply.headers.get('retry-after')).toBeNull()
  })

  it('of Protobuf that is nested too deeply are 400', async () => {
    // A list in a list in a list …, below the value of an attribute.
    let value: Buffer = Buffer.alloc(0)
    for (let depth = 0; depth < 5000; depth += 1) value = field(5, field(1, value))
    const keyValue = Buffer.concat([field(1, Buffer.from('a')), field(2, value)])
    const bytes = field(1, field(1, field(1, keyValue)))
    expect((await post(server, 'traces', bytes, protobuf)).status).toBe(400)
  })

  it.each([
    ['another content type', 'x', { 'content-type': 'text/plain' }, 415, 3],
    ['another content encoding', 'x', { ...json, 'content-encoding': 'br' }, 415, 3],
    ['a large body', Buffer.alloc(maxOtlpBytes.sent + 1), protobuf, 413, 3],
    [
      'a body that expands beyond the limit',
      gzipSync(Buffer.alloc(maxOtlpBytes.decompressed + 1)),
      { ...protobuf, 'content-encoding': 'gzip' },
      413,
      3,
    ],
    [
      'a small body of very many elements',
      gzipSync(Buffer.alloc(4_000_000, Buffer.from([0x0a, 0]))),
      { ...protobuf, 'content-encoding': 'gzip' },
      413,
      3,
    ],
    ['JSON of very many elements', `{"resourceSpans":[${'{},'.repeat(1_000_000)}{}]}`, json, 413, 3],
    ['no token', '{}', { ...json, authorization: '' }, 401, 16],
    ['another token', '{}', { ...json, authorization: 'Bearer wrong' }, 401, 16],
    ['a page of another site', '{}', { ...json, origin: 'https://evil.example' }, 403, 7],
  ])('of %s', async (_, body, headers, status, code) => {
    const reply = await post(server, 'traces', body, headers as Record<string, string>)
    expect(reply.status).toBe(status)
    expect(await statusIn(reply)).toMatchObject({ code })
  })

  it('of another method are 405, with the method that is allowed', async () => {
    const reply = await server.call('GET /v1/traces')
    expect(reply.status).toBe(405)
    expect(reply.headers.get('allow')).toBe('POST')
  })

  it('of too many requests are 429 with the time of the next one', async () => {
    const limited = await startTestServer({ env: { REQUESTS_PER_MINUTE: '1' } })
    try {
      await post(limited, 'logs', '{}', json)
      const reply = await post(limited, 'logs', '{}', json)
      expect(reply.status).toBe(429)
      expect(Number(reply.headers.get('retry-after'))).toBeGreaterThan(0)
      expect(await statusIn(reply)).toMatchObject({ code: 8, reason: 'rate_limited' })
    } finally {
      await limited.close()
    }
  })
})

/** Sends all of a request but its end. `status` resolves with that of the reply. */
function begin(token: string): { readonly req: ClientRequest; readonly status: Promise<number> } {
  const headers = { ...json, authorization: `Bearer ${token}`, 'content-length': '2' }
  const req = request(`${server.url}/v1/traces`, { method: 'POST', headers, agent: false })
  const status = new Promise<number>((resolve, reject) => {
    req.on('response', (res) => resolve(res.resume().statusCode ?? 0)).on('error', reject)
  })
  req.write('{')
  return { req, status }
}

it('one caller cannot use all slots for requests', async () => {
  const created = await server.call('POST /api/tokens', { body: { name: 'exporter', role: 'viewer' } })
  const begun = Array.from({ length: 9 }, () => begin(created.body.data.token))
  const refused = await Promise.race(begun.map(async (each) => ({ ...each, status: await each.status })))
  expect(refused.status).toBe(429)
  expect((await post(server, 'traces', '{}', json)).status).toBe(200)
  const others = begun.filter(({ req }) => req !== refused.req)
  for (const { req } of others) req.end('}')
  expect(await Promise.all(others.map(({ status }) => status))).toEqual(others.map(() => 200))
})

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
        ['x'.repeat(100)]: 1,
        'http.request.header.authorization': 'Bearer secret-canary',
        'gen_ai.output.messages': 'z'.repeat(600_000),
      }),
    ])
    expect((await send(server, 'traces', request, { headers })).body).toEqual({})
    const [run] = await runsIn(server, 'bounds')
    expect(run).toMatchObject({ prompt_tokens: null, output_tokens: null, finish_reason: 'stop' })
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
    // Google ADK, Pydantic AI, Logfire, MLflow, Langfuse, CrewAI, and instrumentation of HTTP and databases.
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

/** Number of fuzzed requests; more with OTLP_FUZZ. */
const fuzzCount = Number(process.env['OTLP_FUZZ'] ?? 300)

describe('fuzzed requests', () => {
  it.each([
    [
      'traces',
      () => traceRequest(trace, { 'service.name': 'fuzz' }, [spanAt(now(), { 'gen_ai.response.id': 'f' })]),
    ],
    ['logs', () => codex.request(now() - 10_000)],
  ] as const)(
    'of %s are accepted, partially accepted or refused as not retryable, and change nothing else',
    async (signal, requestOf) => {
      const slug = `fuzz-${signal}`
      const headers = await workspace(slug)
      const request = requestOf()
      const sources = {
        protobuf: await encode(requestNames[signal], request),
        json: Buffer.from(JSON.stringify(request)),
      }
      // A linear congruential generator: the same requests in every run.
      let seed = 42
      const random = (below: number) => {
        seed = (seed * 1_103_515_245 + 12_345) % 2 ** 31
        return seed % below
      }
      const before = (await server.call('GET /api/audit?limit=1')).body.total
      for (let round = 0; round < fuzzCount; round += 1) {
        const encoding = round % 2 === 0 ? 'protobuf' : 'json'
        const bytes = Buffer.from(sources[encoding])
        for (let change = 0; change <= random(4); change += 1) bytes[random(bytes.length)] = random(256)
        const cut = random(5) === 0 ? bytes.subarray(0, random(bytes.length)) : bytes
        const reply = await post(server, signal, cut, {
          ...(encoding === 'json' ? json : protobuf),
          ...headers,
        })
        expect([200, 400, 413], cut.toString('base64')).toContain(reply.status)
      }
      expect((await server.call('GET /api/audit?limit=1')).body.total).toBe(before)
      expect((await server.call('GET /health')).body.ok).toBe(true)
      const runs = await runsIn(server, slug)
      expect(runs.every(({ source }) => source === 'otel')).toBe(true)
    },
    60_000 + 20 * fuzzCount,
  )
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
