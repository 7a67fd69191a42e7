import * as conventions from '@opentelemetry/semantic-conventions/incubating'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { loadCodec } from '../../../server/telemetry/protocol/codec.ts'
import { startTestServer, type TestServer } from '../../support/service.ts'
import { startCollector } from './collector.ts'
import { traceRequest } from './fixtures/otlp.ts'
import { send } from './telemetry-support.ts'

type Message = ReturnType<typeof JSON.parse>

let collector: Awaited<ReturnType<typeof startCollector>>
let server: TestServer
let nowMs = Date.now()
let tick = () => {}
const options = (url: string) => ({
  env: {
    OTEL_EXPORTER_OTLP_ENDPOINT: url,
    OTEL_EXPORTER_OTLP_HEADERS: 'authorization=Bearer%20canary,x-tenant=a',
    PROVIDER_CHECK_MINUTES: '0',
  },
  substitutes: {
    clock: { now: () => new Date(nowMs) },
    every: (_ms: number, work: () => void) => {
      tick = work
      return () => {}
    },
  },
})

beforeAll(async () => {
  collector = await startCollector()
  server = await startTestServer(options(`${collector.url}/otlp/`))
})
afterAll(async () => {
  await server.close()
  await collector.close()
})
beforeEach(() => {
  collector.received.length = 0
  collector.plans.length = 0
})

const report = {
  provider: 'claude',
  model: 'claude-opus-4',
  latency_ms: 1500,
  status: 'ok',
  prompt_tokens: 100,
  output_tokens: 20,
  cached_tokens: 40,
  app: 'checkout',
  env: 'prod',
  session_id: 's-1',
  end_user: 'ann',
  ref_key: 'greet',
  version: 'v2',
  ttft_ms: 250,
  finish_reason: 'stop',
  params: { temperature: 0.5 },
  input: 'secret question',
  output: 'secret answer',
}

/** Moves the clock, which makes batches due, and lets the exporter look at them. */
function advance(ms: number): void {
  nowMs += ms
  tick()
}
const decoded = async (path: string): Promise<Message> => {
  const found = collector.received.find((each) => each.path === path)
  const name = path.endsWith('traces') ? 'ExportTraceServiceRequest' : 'ExportMetricsServiceRequest'
  return JSON.parse(JSON.stringify((await loadCodec()).decode(name, found?.body ?? Buffer.alloc(0))))
}
const namesOf = (list: Message): string[] => list.map(({ key }: { key: string }) => key)
const attribute = (list: Message, key: string) => {
  const value = list.find((each: Message) => each.key === key)?.value
  return value === undefined ? undefined : Object.values(value)[0]
}
/** Resolves when the exporter has read the replies that the collector sent: two requests to the service later. */
const settled = async () => {
  for (let n = 0; n < 3; n += 1) await counts()
}
const counts = async () => {
  const { text } = await server.call('GET /metrics')
  const of = (name: string) =>
    Number(new RegExp(`^promptdeck_telemetry_${name} (\\d+)$`, 'm').exec(text)?.[1])
  return { sent: of('sent_runs_total'), dropped: of('dropped_runs_total'), queued: of('queued_runs') }
}

describe('a stored run', () => {
  it('is sent as a span and as metrics, by the names of the conventions and without its texts', async () => {
    await server.call('POST /api/runs', { body: report })
    expect(collector.received).toEqual([])
    advance(6000)
    await collector.atLeast(2)
    expect(collector.received.map(({ path }) => path)).toEqual(['/otlp/v1/traces', '/otlp/v1/metrics'])
    for (const { headers, body } of collector.received) {
      expect(headers).toMatchObject({
        authorization: 'Bearer canary',
        'x-tenant': 'a',
        'content-type': 'application/x-protobuf',
      })
      expect(body.includes('secret')).toBe(false)
    }
    const { resourceSpans } = await decoded('/otlp/v1/traces')
    const [{ resource, scopeSpans }] = resourceSpans
    expect(attribute(resource.attributes, 'service.name')).toBe('checkout')
    expect(attribute(resource.attributes, 'deployment.environment.name')).toBe('prod')
    const [span] = scopeSpans[0].spans
    expect(span).toMatchObject({ name: 'chat claude-opus-4', kind: 3 })
    expect(Number(span.endTimeUnixNano) - Number(span.startTimeUnixNano)).toBeCloseTo(1.5e9, -6)
    expect(attribute(span.attributes, 'gen_ai.provider.name')).toBe('anthropic')
    expect(Number(attribute(span.attributes, 'gen_ai.usage.input_tokens'))).toBe(100)
    expect(attribute(span.attributes, 'user.id')).toBe('ann')

    const published = new Set<unknown>(Object.values(conventions))
    const own = /^promptdeck\.|^gen_ai\.prompt\.version$/
    const [metrics] = (await decoded('/otlp/v1/metrics')).resourceMetrics
    const all = metrics.scopeMetrics[0].metrics
    const names = [
      ...namesOf([...resource.attributes, ...span.attributes]),
      ...all.map(({ name }: { name: string }) => name),
      ...all.flatMap(({ histogram }: Message) =>
        histogram.dataPoints.flatMap((point: Message) => namesOf(point.attributes)),
      ),
    ]
    expect(names.filter((name) => !published.has(name) && !own.test(name))).toEqual([])
    expect(all.map(({ name, unit }: Message) => [name, unit])).toEqual([
      [conventions.METRIC_GEN_AI_CLIENT_OPERATION_DURATION, 's'],
      [conventions.METRIC_GEN_AI_CLIENT_TOKEN_USAGE, '{token}'],
    ])
    expect(all[0].histogram.dataPoints[0]).toMatchObject({ sum: 1.5, count: '1' })
    expect(all[1].histogram.dataPoints.map(({ sum }: Message) => sum)).toEqual([100, 20])
  })

  it.each([
    ['seed', { seed: 2 ** 64 }, 2 ** 64],
    ['max_tokens', { max_output_tokens: 300 }, '300'],
    ['max_tokens', { max_completion_tokens: 300 }, '300'],
    ['max_tokens', { maxOutputTokens: 300 }, '300'],
    ['top_p', { topP: 0.5 }, 0.5],
    ['stop_sequences', { stop: ['END', '.'] }, { values: [{ stringValue: 'END' }, { stringValue: '.' }] }],
    ['stop_sequences', { stopSequences: 'END' }, { values: [{ stringValue: 'END' }] }],
    ['stop_sequences', { stop_sequences: [1] }, undefined],
  ])('has %s of the parameters %j', async (name, params, expected) => {
    await server.call('POST /api/runs', { body: { ...report, params } })
    advance(6000)
    await collector.atLeast(2)
    const [{ scopeSpans }] = (await decoded('/otlp/v1/traces')).resourceSpans
    expect(attribute(scopeSpans[0].spans[0].attributes, `gen_ai.request.${name}`)).toEqual(expected)
  })

  it('that telemetry reported is not sent back', async () => {
    const before = (await counts()).queued
    const span = {
      span: '5'.repeat(16),
      name: 'chat',
      at: nowMs - 1000,
      ms: 5,
      attributes: { 'gen_ai.request.model': 'm' },
    }
    await send(server, 'traces', traceRequest('6'.repeat(32), {}, [span]))
    expect((await counts()).queued).toBe(before)
  })
})

describe('a collector', () => {
  /** Rejects a batch once, and waits until it is sent again. Nothing may be sent before `waitMs` have passed. */
  async function retryAfter(status: number, seconds: string, waitMs: number): Promise<void> {
    collector.plans.push({ status, headers: { 'retry-after': seconds } }, { status: 200 }, { status: 200 })
    const { sent } = await counts()
    await server.call('POST /api/runs', { body: report })
    advance(6000)
    await collector.atLeast(2)
    await settled()
    advance(waitMs - 10_000)
    await settled()
    expect(collector.received).toHaveLength(2)
    advance(20_000)
    // Looks again while the exporter is still busy with the first attempt.
    const received = () => {
      tick()
      return collector.received.length
    }
    await expect.poll(received).toBe(3)
    await expect.poll(counts).toMatchObject({ sent: sent + 1, queued: 0 })
  }

  it('that is overloaded gets the same batch again, after the time it asked for', async () => {
    await retryAfter(503, '30', 30_000)
    expect(collector.received.map(({ path }) => path)).toEqual([
      '/otlp/v1/traces',
      '/otlp/v1/metrics',
      '/otlp/v1/traces',
    ])
    expect(collector.received[2]?.body.equals(collector.received[0]?.body ?? Buffer.alloc(0))).toBe(true)
  })

  it('that asks for a day gets the batch again after five minutes', () => retryAfter(429, '86400', 300_000))

  it('that refuses a batch does not get it again, and the runs count as dropped', async () => {
    collector.plans.push({ status: 400 }, { status: 404 })
    const { dropped } = await counts()
    await server.call('POST /api/runs', { body: report })
    advance(6000)
    await expect.poll(counts).toMatchObject({ dropped: dropped + 1, queued: 0 })
    expect(collector.received).toHaveLength(2)
  })

  it('that cannot be reached delays no run, and what does not fit into the queue counts as dropped', async () => {
    const gone = await startTestServer(options('http://127.0.0.1:1'))
    try {
      const { provider, model, latency_ms, status } = report
      const batch = Array.from({ length: 500 }, () => ({ provider, model, latency_ms, status }))
      for (let n = 0; n < 17; n += 1) await gone.call('POST /api/runs', { body: batch })
      const { text } = await gone.call('GET /metrics')
      expect(text).toContain('promptdeck_telemetry_dropped_runs_total 308')
      expect((await gone.call('GET /api/runs?limit=1')).body.total).toBe(8500)
    } finally {
      await gone.close()
    }
  })
})

describe('the configuration', () => {
  it('sends nothing without an endpoint, and nothing to this service itself', async () => {
    const own = await startTestServer({
      ...options(collector.url),
      env: { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url, PUBLIC_URL: collector.url },
    })
    await own.call('POST /api/runs', { body: report })
    await own.close()
    expect(collector.received).toEqual([])
    const silent = await startTestServer()
    expect((await silent.call('GET /metrics')).text).not.toContain('promptdeck_telemetry')
    await silent.close()
  })

  it('refuses a protocol, an address and headers with which nothing can be sent', async () => {
    const start = (env: Record<string, string>) =>
      startTestServer({ env: { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url, ...env } })
    await expect(start({ OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc' })).rejects.toThrow('gRPC is not supported')
    for (const headers of ['no value', 'a=%E2%82%AC', 'a=b%0Ac'])
      await expect(start({ OTEL_EXPORTER_OTLP_HEADERS: headers })).rejects.toThrow('name=value')
    for (const url of ['http://user:pass@127.0.0.1:4318', 'http://127.0.0.1:4318/otlp?key=a'])
      await expect(start({ OTEL_EXPORTER_OTLP_ENDPOINT: url })).rejects.toThrow(
        'without user, password, query',
      )
  })
})
