import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { RunReport as ReportSchema, type RunReport } from '../../../contract/runs/run.ts'
import { runs as endpoints } from '../../../contract/runs/runs.ts'
import type { CallRecord } from '../../../server/calls/intents/record.ts'
import { Problem } from '../../../server/lib/fail.ts'
import { day, hour, minimal, noon, openRunLog, type RunLog } from './runs-support.ts'

let log: RunLog
beforeEach(async () => {
  log = await openRunLog()
})
afterEach(async () => {
  expect(log.errors).toEqual([])
  await log.close()
})

const problemOf = async (work: Promise<unknown>): Promise<Problem> => {
  const error = await work.then(
    () => null,
    (reason: unknown) => reason,
  )
  expect(error).toBeInstanceOf(Problem)
  return error as Problem
}
const batch = (...reports: Partial<RunReport>[]) =>
  log.runs.report(
    log.ctx(),
    reports.map((report) => ({ ...minimal, ...report })),
  )
const count = async () => (await log.runs.list(log.ctx(), { limit: 1 })).total

describe('one run', () => {
  test('defaults are filled in for a minimal report', async () => {
    expect(await log.add()).toEqual({
      id: 1,
      source: 'sdk',
      ref_key: null,
      version: null,
      env: null,
      workspace_id: 'default',
      provider: 'openai',
      model: 'gpt-4o',
      prompt_tokens: null,
      output_tokens: null,
      total_tokens: null,
      cached_tokens: null,
      reasoning_tokens: null,
      tokens_estimated: false,
      latency_ms: 100,
      ttft_ms: null,
      cost_usd: null,
      status: 'ok',
      error: null,
      error_type: null,
      user: 'edda',
      app: null,
      token: null,
      client_id: null,
      parent_id: null,
      session_id: null,
      end_user: null,
      tags: null,
      metadata: null,
      trace_id: null,
      span_id: null,
      parent_span_id: null,
      reply_mark: null,
      reported: true,
      created_at: '2026-11-21T12:00:00.000Z',
    })
  })

  test('a call of the service that telemetry reported first is stored once, and its own calls each', async () => {
    const call = (responseId: string, callId: string): CallRecord => ({
      ...minimal,
      response_id: responseId,
      capture: null,
      redacted: null,
      callId,
    })
    const record = (of: CallRecord) => log.runs.record(log.ctx(), of, async () => true)
    const id = (n: number) => `019aa5b2-0000-7000-8000-00000000000${n}`
    const reported = await log.add({ response_id: 'r-1', source: 'otel' })
    expect((await record(call('r-1', id(1))))?.id).toBe(reported.id)
    expect((await log.runs.get(log.ctx(), id(1))).id).toBe(reported.id)
    const [first, cached] = [await record(call('r-2', id(2))), await record(call('r-2', id(3)))]
    expect(cached?.id).not.toBe(first?.id)
    expect((await log.add({ response_id: 'r-2' })).id).toBe(first?.id)
  })

  test('a complete report is returned in the reply, the list and the detail', async () => {
    const report: RunReport = {
      provider: 'claude',
      model: 'claude-opus',
      latency_ms: 1240.125,
      status: 'error',
      source: 'agent',
      ref_key: 'greet/formal',
      version: 'v3',
      env: 'test',
      workspace_id: 'w-sales',
      prompt_tokens: 812,
      output_tokens: 64,
      total_tokens: 900,
      cached_tokens: 512,
      reasoning_tokens: 12,
      tokens_estimated: true,
      ttft_ms: 310.5,
      cost_usd: 0.000000123,
      error: 'Überlastet \u001b[31m"; DROP TABLE runs; --\n{{x}}',
      error_type: 'overloaded',
      app: 'checkout',
      session_id: 'conversation-1',
      end_user: 'ann',
      tags: ['eu', 'beta', 'eu'],
      metadata: { plan: 'pro', nested: { a: [1] } },
      parent_id: await log.execution('trace-1', 'w-sales'),
      span_id: '00f067aa0ba902b7',
      parent_span_id: '10f067aa0ba902b7',
      client_run_id: 'c-1',
      finish_reason: 'length',
      response_id: 'msg_01',
      response_model: 'claude-opus-4-1',
      provider_request_id: 'req_01',
      tool_names: ['weather', 'find', 'find'],
      trace_id: '4bf92f3577b34da6a3ce929d0e0e4736',
      params: { temperature: 0.2, nested: { a: [1, null, 'x'] } },
      variables: ['customer.name', 'amount'],
      created_at: '2026-11-21T11:00:00.123+02:00',
    }
    const { client_run_id, finish_reason, response_id, response_model, tool_names: _tools, ...rest } = report
    const { provider_request_id, params, variables: _, ...shown } = rest
    const run = await log.add(report)
    const expected = {
      ...shown,
      id: 1,
      user: 'edda',
      token: null,
      tags: ['beta', 'eu'],
      client_id: null,
      reply_mark: null,
      reported: true,
      created_at: '2026-11-21T09:00:00.123Z',
    }
    expect(run).toEqual(expected)
    expect((await log.runs.list(log.ctx(), { limit: 50 })).data).toEqual([expected])
    expect(await log.runs.get(log.ctx(), 1)).toEqual({
      ...expected,
      client_run_id,
      finish_reason,
      response_id,
      response_model,
      provider_request_id,
      tool_names: ['find', 'weather'],
      call_id: null,
      // 64 tokens in the 929.625 ms after the first.
      tokens_per_second: 68.8,
      params,
      variables: ['amount', 'customer.name'],
      input: null,
      output: null,
      content_state: 'not_sent',
      prompt_hash: null,
      request_id: 'request-1',
    })
  })

  test.each([
    [{ prompt_tokens: 10, output_tokens: 5 }, 15],
    [{ prompt_tokens: 10 }, 10],
    [{ output_tokens: 5 }, 5],
    [{ total_tokens: 7 }, 7],
    [{ prompt_tokens: 10, output_tokens: 5, total_tokens: 99 }, 99],
    [{ prompt_tokens: 0, output_tokens: 0 }, 0],
    [{}, null],
  ])('total tokens of %o are %s', async (tokens, expected) => {
    expect((await log.add(tokens)).total_tokens).toBe(expected)
  })

  test.each([
    ['default', 'default'],
    ['sales', 'w-sales'],
    ['w-sales', 'w-sales'],
    [null, 'default'],
    [undefined, 'default'],
  ])('workspace %s is %s', async (workspace_id, expected) => {
    expect((await log.add({ workspace_id })).workspace_id).toBe(expected)
  })

  test('text that SQLite cannot store exactly is converted, other text is unchanged', async () => {
    const run = await log.add({
      ref_key: 'a\u0000b',
      error: 'half \ud800 pair',
      version: '=1+1',
      model: '  ',
    })
    expect(run).toMatchObject({
      ref_key: 'a\ufffdb',
      error: 'half \ufffd pair',
      version: '=1+1',
      model: '  ',
    })
    expect((await log.runs.list(log.ctx(), { limit: 1 })).data).toEqual([run])
    // The same text again finds the same names.
    await log.add({ ref_key: 'a\u0000b', error: 'half \ud800 pair' })
    expect(await count()).toBe(2)
  })

  test('an empty error is no error text', async () => {
    expect((await log.add({ status: 'error', error: '' })).error).toBeNull()
  })

  test('the service records its own runs as not reported, and only if its claim succeeds', async () => {
    const record = { ...minimal, source: 'playground', capture: null, redacted: null }
    expect(await log.runs.record(log.ctx(), record, async () => true)).toMatchObject({
      source: 'playground',
      reported: false,
    })
    expect(await log.runs.record(log.ctx(), record, async () => false)).toBeNull()
    expect((await log.runs.list(log.ctx(), { limit: 5 })).total).toBe(1)
    const failing = log.runs.record(log.ctx(), record, () => Promise.reject(new Error('no claim')))
    await expect(failing).rejects.toThrow('no claim')
    expect((await log.runs.list(log.ctx(), { limit: 5 })).total).toBe(1)
  })

  test('the client of a run is taken from the registry', async () => {
    await log.close()
    log = await openRunLog({
      clientOf: (ctx) => (ctx.userAgent === 'test' ? { id: 'client-7', app: 'checkout' } : null),
    })
    expect((await log.add()).client_id).toBe('client-7')
    expect((await log.runs.list(log.ctx(), { limit: 5, client: ['client-7'] })).total).toBe(1)
    expect((await log.runs.list(log.ctx(), { limit: 5, client: ['client-8'] })).total).toBe(0)
  })

  test('is announced once per commit, and not if it is refused', async () => {
    await log.add()
    expect(log.announced).toEqual(['runs'])
    await batch({}, {}, {})
    expect(log.announced).toEqual(['runs', 'runs'])
    await problemOf(log.add({ workspace_id: 'nowhere' }))
    expect(log.announced).toEqual(['runs', 'runs'])
    expect(log.recorded).toEqual([])
  })
})

describe('time', () => {
  test('set by the service never decreases', async () => {
    const first = await log.add()
    log.now = noon - 5000
    const second = await log.add()
    expect(second.created_at).toBe(first.created_at)
    expect(second.id).toBe(2)
    log.now = noon + 1000
    expect((await log.add()).created_at).toBe('2026-11-21T12:00:01.000Z')
  })

  test.each([
    ['exactly as old as the retention', -90 * day, true],
    ['a millisecond older than the retention', -90 * day - 1, false],
    ['five minutes in the future', 300_000, true],
    ['five minutes and a millisecond in the future', 300_001, false],
    ['far in the future', 400 * day, false],
  ])('reported as %s', async (_, offset, isAccepted) => {
    const created_at = new Date(noon + offset).toISOString()
    if (isAccepted) expect((await log.add({ created_at })).created_at).toBe(created_at)
    else {
      const problem = await problemOf(log.add({ created_at }))
      expect(problem.code).toBe('request.invalid')
      expect(problem.extra.errors).toMatchObject([{ path: 'created_at' }])
      expect(await count()).toBe(0)
    }
  })

  test('a shortened retention refuses older runs', async () => {
    log.settings = { ...log.settings, runRetentionDays: 1 }
    const problem = await problemOf(log.add({ created_at: new Date(noon - 25 * hour).toISOString() }))
    expect(problem.extra.errors).toEqual([
      { path: 'created_at', message: 'Older than the retention of runs (1 days)' },
    ])
  })
})

describe('a batch', () => {
  test('returns its ids in order, and is listed newest first', async () => {
    expect(await batch({ ref_key: 'a' }, { ref_key: 'b' }, { ref_key: 'c' })).toEqual([
      { id: 1 },
      { id: 2 },
      { id: 3 },
    ])
    const { data } = await log.runs.list(log.ctx(), { limit: 10 })
    expect(data.map((run) => run.ref_key)).toEqual(['c', 'b', 'a'])
  })

  test('names the invalid items, and stores nothing', async () => {
    const future = new Date(noon + hour).toISOString()
    const tooMuch = { big: 'x'.repeat(20_000) }
    const problem = await problemOf(batch({}, { created_at: future }, {}, { params: tooMuch }))
    expect(problem.extra.errors?.map(({ path }) => path)).toEqual(['1.created_at', '3.params'])
    expect(await count()).toBe(0)
  })

  test('with an unknown workspace stores nothing', async () => {
    const problem = await problemOf(batch({}, {}, { workspace_id: 'nowhere' }))
    expect(problem.status).toBe(422)
    expect(problem.extra.errors).toEqual([{ path: '2.workspace_id', message: 'Workspace not found' }])
    expect(await count()).toBe(0)
    expect((await log.runs.stats(log.ctx(), { interval: 'auto' })).total).toBe(0)
  })

  test('of 500 is one transaction', async () => {
    const before = log.db.status().committed
    await batch(...Array.from({ length: 500 }, (_, index) => ({ latency_ms: index })))
    expect(log.db.status().committed).toBe(before + 1)
    expect(await count()).toBe(500)
  })
})

describe('client_run_id', () => {
  test('repeated returns the first run, stored once', async () => {
    const first = await log.add({ client_run_id: 'x', ref_key: 'first' })
    const again = await log.add({ client_run_id: 'x', ref_key: 'second' })
    expect(again).toEqual(first)
    expect(await count()).toBe(1)
    expect((await log.runs.stats(log.ctx(), { interval: 'auto' })).total).toBe(1)
  })

  test('is separate for each principal', async () => {
    await log.add({ client_run_id: 'x' })
    await log.add({ client_run_id: 'x' }, { id: 'u2', name: 'finn' })
    await log.add({ client_run_id: 'x' }, { kind: 'service_token', id: null, name: 'service-token' })
    await log.add({ client_run_id: 'x' }, { kind: 'service_token', id: null, name: 'service-token' })
    expect(await count()).toBe(3)
  })

  test('repeated within a batch and across batches returns the first run', async () => {
    expect(await batch({ client_run_id: 'a' }, { client_run_id: 'b' }, { client_run_id: 'a' })).toEqual([
      { id: 1 },
      { id: 2 },
      { id: 1 },
    ])
    expect(await batch({ client_run_id: 'c' }, { client_run_id: 'b' })).toEqual([{ id: 3 }, { id: 2 }])
    expect(await count()).toBe(3)
  })

  test('sent concurrently is stored once', async () => {
    const runs = await Promise.all(Array.from({ length: 20 }, () => log.add({ client_run_id: 'same' })))
    expect(new Set(runs.map((run) => run.id))).toEqual(new Set([1]))
    expect(await count()).toBe(1)
  })

  test('can be reused after retention removed its run', async () => {
    const created_at = new Date(noon - 89 * day).toISOString()
    await log.add({ client_run_id: 'x', created_at })
    log.now = noon + 5 * day
    await log.runs.maintain()
    expect((await log.add({ client_run_id: 'x' })).id).toBe(2)
  })
})

describe('concurrent reports', () => {
  test('share transactions, get unique ids, and an invalid one does not affect others', async () => {
    const before = log.db.status().committed
    const results = await Promise.allSettled(
      Array.from({ length: 100 }, (_, index) =>
        log.add({ ref_key: `key-${index}`, workspace_id: index === 40 ? 'nowhere' : 'sales' }),
      ),
    )
    const stored = results.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []))
    expect(stored).toHaveLength(99)
    expect(new Set(stored.map((run) => run.id)).size).toBe(99)
    expect(await count()).toBe(99)
    expect(log.db.status().committed - before).toBeLessThan(20)
  })

  test('ids continue after retention emptied the log and the store was reopened', async () => {
    await log.add({ created_at: new Date(noon - 80 * day).toISOString() })
    log.settings = { ...log.settings, runRetentionDays: 1 }
    await log.runs.maintain()
    expect(await count()).toBe(0)
    expect((await log.add()).id).toBe(2)
  })
})

describe('the schema refuses', () => {
  const body = endpoints.report.body
  const invalid: [string, unknown, string][] = [
    ['no provider', { ...minimal, provider: undefined }, 'provider'],
    ['an empty model', { ...minimal, model: ' ' }, 'model'],
    ['a negative latency', { ...minimal, latency_ms: -1 }, 'latency_ms'],
    ['a latency of more than a day', { ...minimal, latency_ms: 86_400_001 }, 'latency_ms'],
    ['an infinite latency', { ...minimal, latency_ms: Number.POSITIVE_INFINITY }, 'latency_ms'],
    ['an unknown status', { ...minimal, status: 'failed' }, 'status'],
    ['a fractional token count', { ...minimal, prompt_tokens: 1.5 }, 'prompt_tokens'],
    ['a negative token count', { ...minimal, total_tokens: -1 }, 'total_tokens'],
    ['an unrealistic cost', { ...minimal, cost_usd: 10_001 }, 'cost_usd'],
    ['an unknown field', { ...minimal, user: 'mallory' }, ''],
    ['an id', { ...minimal, id: 7 }, ''],
    ['a source with spaces', { ...minimal, source: 'My App' }, 'source'],
    ['a long ref_key', { ...minimal, ref_key: 'x'.repeat(201) }, 'ref_key'],
    ['a long error', { ...minimal, error: 'x'.repeat(8193) }, 'error'],
    ['a time without a zone', { ...minimal, created_at: '2026-11-21T12:00:00' }, 'created_at'],
    ['params that are not an object', { ...minimal, params: 'x' }, 'params'],
  ]
  test.each(invalid)('%s', (_, report, path) => {
    const result = ReportSchema.safeParse(report)
    expect(result.success).toBe(false)
    expect(result.error?.issues[0]?.path.join('.')).toBe(path)
  })
  test('no run at all, and more than 500', () => {
    expect(body?.safeParse([]).success).toBe(false)
    expect(body?.safeParse(Array.from({ length: 501 }, () => minimal)).success).toBe(false)
    expect(body?.safeParse(Array.from({ length: 500 }, () => minimal)).success).toBe(true)
  })
})
