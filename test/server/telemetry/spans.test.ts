import { describe, expect, it } from 'vitest'
import type { SpanReport } from '../../../contract/runs/spans.ts'
import { createTracesService } from '../../../server/features/traces/traces.service.ts'
import { createBus } from '../../../server/history/events/bus.ts'
import { systemContext } from '../../../server/lib/context.ts'
import { invalid } from '../../../server/lib/fail.ts'
import { describeSpan } from '../../../server/telemetry/convert/conventions/conventions.ts'
import { storeSpans } from '../../../server/telemetry/receive/store-spans.ts'
import { server, setUpService } from '../file-service.ts'
import { day, noon, openRunLog } from '../runs/runs-support.ts'
import { agent } from './fixtures/gen-ai.ts'
import { traceRequest } from './fixtures/otlp.ts'
import { send } from './telemetry-support.ts'

setUpService(async () => {
  for (const slug of ['own', 'hidden'])
    await server.call('POST /api/workspaces', { body: { name: slug, slug } })
})

const spansIn = async (trace: string, more = '', token?: string) =>
  (await server.call(`GET /api/spans?trace_id=${trace}${more}`, token === undefined ? {} : { token })).body
    .data

const tool = (span: string, at: number, attributes = {}) => ({
  span,
  name: 'execute_tool find',
  at,
  ms: 20,
  error: 'no such order',
  attributes: { 'gen_ai.operation.name': 'execute_tool', 'gen_ai.tool.name': 'find', ...attributes },
})

describe('a span of an agent or a tool', () => {
  it('is stored once and belongs to the trace of its calls', async () => {
    const at = Date.now() - 5000
    for (const encoding of ['json', 'protobuf'] as const)
      await send(server, 'traces', agent.request(at), { encoding })
    const common = {
      trace_id: 'a3'.repeat(16),
      workspace_id: 'default',
      app: null,
      status: 'ok',
      error: null,
    }
    expect(await spansIn('a3'.repeat(16))).toEqual([
      {
        ...common,
        span_id: '01'.repeat(8),
        parent_span_id: null,
        kind: 'agent',
        name: 'planner',
        latency_ms: 900,
        created_at: new Date(at).toISOString(),
      },
      {
        ...common,
        span_id: '03'.repeat(8),
        parent_span_id: '01'.repeat(8),
        kind: 'tool',
        name: 'weather',
        latency_ms: 100,
        created_at: new Date(at + 320).toISOString(),
      },
    ])
    expect((await server.call('GET /api/runs?source=otel')).body.total).toBe(2)
  })

  it('is counted as stored if its workspace is deleted while later ones are stored', async () => {
    const report = { created_at: new Date().toISOString() } as SpanReport
    const spans = new Array(1100).fill({ workspace: 'left', report })
    let stored = 0
    const rejections = await storeSpans(systemContext(new Date(), 'x'), spans, {
      defaultWorkspace: null,
      refusalOfTime: () => null,
      async report(_ctx, _workspace, batch) {
        if (stored > 0) throw invalid('workspace', 'Workspace not found')
        stored += batch.length
      },
    })
    expect(stored + rejections.length).toBe(spans.length)
  })

  it('belongs to its workspace, which others do not see', async () => {
    const trace = 'b4'.repeat(16)
    const at = Date.now() - 5000
    const own = tool('0a'.repeat(8), at, { 'promptdeck.workspace': 'own' })
    const hidden = tool('0b'.repeat(8), at, { 'promptdeck.workspace': 'hidden' })
    const unknown = tool('0c'.repeat(8), at, { 'promptdeck.workspace': 'none' })
    const reply = await send(server, 'traces', traceRequest(trace, {}, [own, hidden, unknown]))
    expect(reply.body).toMatchObject({ partialSuccess: { rejectedSpans: expect.anything() } })
    expect(await spansIn(trace)).toHaveLength(2)
    expect(await spansIn(trace, '&workspace=own')).toMatchObject([
      { span_id: own.span, status: 'error', error: 'no such order' },
    ])
    expect(await spansIn(trace, '&workspace=none')).toEqual([])
    const { id } = (await server.call('GET /api/workspaces/own')).body.data
    const body = {
      name: 'member',
      role: 'viewer',
      access: 'listed',
      memberships: [{ workspace_id: id, role: 'viewer' }],
    }
    const { token } = (await server.call('POST /api/tokens', { body })).body.data
    expect(await spansIn(trace, '', token)).toMatchObject([{ span_id: own.span }])
    expect(await spansIn(trace, '&workspace=hidden', token)).toEqual([])
  })

  it.each([
    [
      { 'gen_ai.operation.name': 'invoke_workflow', 'gen_ai.workflow.name': 'w' },
      { kind: 'workflow', name: 'w' },
    ],
    [{ 'gen_ai.agent.name': 'a' }, { kind: 'agent', name: 'a' }],
    [
      { 'openinference.span.kind': 'TOOL', 'tool.name': 't' },
      { kind: 'tool', name: 't' },
    ],
    [{ 'openinference.span.kind': 'CHAIN' }, { kind: 'step', name: undefined }],
    [{ 'openinference.span.kind': 'EVALUATOR' }, null],
    [
      { 'traceloop.span.kind': 'task', 'traceloop.entity.name': 'e' },
      { kind: 'step', name: 'e' },
    ],
    [
      { 'ai.operationId': 'ai.toolCall', 'ai.toolCall.name': 't' },
      { kind: 'tool', name: 't' },
    ],
    [{ 'ai.operationId': 'ai.generateText' }, { kind: 'step', name: undefined }],
    [{ 'gen_ai.operation.name': 'chat' }, null],
    [{ 'http.request.method': 'GET' }, null],
  ])('has its kind and name: %j', (attributes, expected) => {
    expect(describeSpan(new Map(Object.entries(attributes)))).toEqual(expected)
  })
})

it('spans outside the time of retention are rejected and counted', async () => {
  const at = Date.now()
  const ages = [5000, 400 * day, -3_600_000]
  const spans = ages.map((age, index) => tool(`0${index + 1}`.repeat(8), at - age))
  const reply = await send(server, 'traces', traceRequest('c6'.repeat(16), {}, spans))
  expect(reply.body.partialSuccess.rejectedSpans).toBe('2')
  expect(reply.body.partialSuccess.errorMessage).toMatch(/Older than the retention.*in the future/)
  expect(await spansIn('c6'.repeat(16))).toHaveLength(1)
})

it('spans are deleted when they are older than runs are kept, and not while deletion is paused', async () => {
  const log = await openRunLog()
  let isPaused = true
  const traces = createTracesService({
    db: log.db,
    bus: createBus(),
    deletion: { now: () => (isPaused ? null : new Date(noon)) },
    runRetentionDays: () => 30,
  })
  const common = {
    trace_id: 'c5'.repeat(16),
    parent_span_id: null,
    kind: 'tool',
    name: 't',
    app: null,
  } as const
  const spanOf = (age: number) => ({
    ...common,
    span_id: String(age).padStart(16, '0'),
    status: 'ok' as const,
    error: null,
    latency_ms: 1.5,
    created_at: new Date(noon - age * day).toISOString(),
  })
  await traces.report(log.ctx(), null, [spanOf(29), spanOf(31), spanOf(40)])
  const ages = async () =>
    (await traces.list(log.ctx(), { trace_id: common.trace_id })).map(({ span_id: id }) => Number(id))
  await traces.maintain()
  expect(await ages()).toEqual([40, 31, 29])
  isPaused = false
  // More than one transaction deletes.
  await traces.report(
    log.ctx(),
    null,
    Array.from({ length: 600 }, (_, index) => spanOf(50 + index)),
  )
  await traces.maintain()
  expect(await ages()).toEqual([29])
  await log.close()
})
