import { describe, expect, test } from 'vitest'
import type { RunReport } from '../../../../contract/runs/run.ts'
import type { CallRecord } from '../../../../server/calls/intents/record.ts'
import { minimal } from '../runs-support.ts'
import { batch, count, log, problemOf, reopen, setUpLog } from './ingest-support.ts'

setUpLog()

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
      tags: ['\ud800', '\udfff', 'a'],
      version: '=1+1',
      model: '  ',
    })
    expect(run).toMatchObject({
      ref_key: 'a\ufffdb',
      error: 'half \ufffd pair',
      tags: ['a', '\ufffd'],
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
    await reopen({
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
