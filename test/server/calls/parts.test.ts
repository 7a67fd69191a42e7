import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { createCalls } from '../../../server/calls/calls.ts'
import type { RecordCall } from '../../../server/calls/intents/record.ts'
import { recoverCalls } from '../../../server/calls/intents/recover.ts'
import type { CallRequest } from '../../../server/calls/request/call.ts'
import { withoutValues } from '../../../server/calls/result/redact.ts'
import { createTokenCounter } from '../../../server/calls/result/token-counter.ts'
import type { CountTokens } from '../../../server/calls/result/usage.ts'
import { fail } from '../../../server/lib/fail.ts'
import { newUuid } from '../../../server/lib/ids.ts'
import { ModelError, type ModelEvent, type Models } from '../../../server/models/model.ts'
import { openRunLog, type RunLog } from '../runs/runs-support.ts'

let log: RunLog
const errors: unknown[] = []
beforeEach(async () => {
  errors.length = 0
  log = await openRunLog()
})
afterEach(() => log.close())

/** Returns models that reply with `generate`. */
const replying = (generate: () => AsyncIterable<ModelEvent>, defaultModel: string | null = null): Models => ({
  find: (name) => ({ name, defaultModel, isConfigured: true, generate }),
})
/** Returns models that emit these events, then end or throw. */
const emitting = (events: readonly ModelEvent[], failure?: unknown): Models =>
  replying(async function* () {
    yield* events
    if (failure !== undefined) throw failure
  }, 'm')
const end: ModelEvent = { type: 'end', finishReason: 'stop', usage: null }
const delta = (text: string): ModelEvent => ({ type: 'delta', text })

const request: CallRequest = {
  source: 'workflow',
  workspaceId: 'w-sales',
  refKey: 'greet',
  version: 'v2',
  env: 'prod',
  context: {},
  parentId: 'trace-7',
  provider: 'openai',
  model: 'gpt-4o',
  messages: [],
  template: 'Hi {{who}}',
  variables: { who: 'world' },
  placeholders: {},
  declared: [],
  params: { temperature: 0.2 },
  tools: [],
  responseSchema: null,
  isJson: false,
  capture: null,
}

const countLengths: CountTokens = async (texts) => texts.map(({ length }) => length)

const callsWith = (models: Models, record: RecordCall = log.runs.record, count: CountTokens = countLengths) =>
  createCalls({
    db: log.db,
    models,
    record,
    count,
    clock: { now: () => new Date(log.now) },
    newId: newUuid,
    instanceId: 'instance-1',
    onRun: () => {},
    onError: (error) => errors.push(error),
  })
const neverAborted = () => new AbortController().signal
const call = (calls: ReturnType<typeof callsWith>, overrides: Partial<CallRequest> = {}) =>
  calls.call(log.ctx(), { ...request, ...overrides }, neverAborted())
const intents = () => log.db.read.selectFrom('call_intents').selectAll().execute()
const runs = async () => (await log.runs.list(log.ctx(), { limit: 200 })).data
const recover = (record: RecordCall = log.runs.record, instanceIds: readonly string[] | null = null) =>
  recoverCalls({ db: log.db, record, now: () => new Date(log.now), instanceIds })
/** Returns a store that accepts `capacity` runs, then is full until the capacity is raised. */
function limitedStore(capacity: number) {
  const store = { capacity }
  const record: RecordCall = async (...args) => {
    if (store.capacity <= 0) throw fail('store.full')
    store.capacity -= 1
    return log.runs.record(...args)
  }
  return { store, record }
}

describe('usage', () => {
  test('is that of the provider, with cached and reasoning tokens separate, and is priced', async () => {
    log.settings = {
      ...log.settings,
      prices: [
        {
          provider: 'openai',
          model: 'gpt-4o',
          from: '2025-01-01',
          input_usd_per_million: 2,
          output_usd_per_million: 10,
        },
      ],
    }
    const usage = { promptTokens: 1000, outputTokens: 100, cachedTokens: 600, reasoningTokens: 40 }
    const { run } = await call(callsWith(emitting([delta('Hello'), { ...end, usage }])))
    expect(run).toMatchObject({
      prompt_tokens: 1000,
      output_tokens: 100,
      total_tokens: 1100,
      cached_tokens: 600,
      reasoning_tokens: 40,
      tokens_estimated: false,
      cost_usd: 0.003,
      source: 'workflow',
      workspace_id: 'w-sales',
      ref_key: 'greet',
      version: 'v2',
      parent_id: 'trace-7',
      created_at: '2026-11-21T12:00:00.000Z',
    })
  })
  test('that is incomplete is estimated and marked', async () => {
    const usage = { promptTokens: 9, outputTokens: null, cachedTokens: null, reasoningTokens: null }
    const { run } = await call(callsWith(emitting([delta('Hello'), { ...end, usage }])))
    expect(run).toMatchObject({ prompt_tokens: 9, output_tokens: 5, tokens_estimated: true })
  })
  test('whose missing part cannot be counted is not marked as estimated', async () => {
    const usage = { promptTokens: 9, outputTokens: null, cachedTokens: null, reasoningTokens: null }
    const models = emitting([delta('Hello'), { ...end, usage }])
    const { run } = await call(callsWith(models, log.runs.record, async (texts) => texts.map(() => null)))
    expect(run).toMatchObject({ prompt_tokens: 9, output_tokens: null, tokens_estimated: false })
  })
  test('is counted like OpenAI counts, including text that looks like control tokens, and random text', async () => {
    const tokens = createTokenCounter((error) => errors.push(error))
    expect(await tokens.count(['', 'Hi world', '<|endoftext|>', 'The quick brown fox'])).toEqual([0, 2, 7, 4])
    const [prose, nonsense] = await tokens.count(['The fox ran. '.repeat(20_000), 'x'.repeat(262_144)])
    expect(prose).toBeGreaterThan(79_000)
    expect(prose).toBeLessThan(81_001)
    expect(nonsense).toBeGreaterThan(1000)
    await tokens.close()
    expect(errors).toEqual([])
  })
})

describe('an invalid stream', () => {
  test.each([
    ['ends without an end event', emitting([delta('half')]), 'malformed'],
    ['throws an unknown error', emitting([delta('half')], new TypeError('x')), 'provider_error'],
    ['is too large', emitting(Array.from({ length: 9 }, () => delta('x'.repeat(65_536)))), 'too_large'],
    [
      'throws a ModelError',
      emitting([delta('half')], new ModelError('rate_limited', 'Slow down')),
      'rate_limited',
    ],
  ])('%s: one error run', async (_, models, type) => {
    await expect(call(callsWith(models))).rejects.toMatchObject({ reason: { type } })
    expect(await runs()).toMatchObject([{ status: 'error', error_type: type }])
    expect(await intents()).toEqual([])
  })
  test('that never ends and ignores its signal is abandoned', async () => {
    const models = replying(() => ({ [Symbol.asyncIterator]: () => ({ next: () => new Promise(() => {}) }) }))
    const calls = callsWith(models)
    const caller = new AbortController()
    const waiting = calls.call(log.ctx(), request, caller.signal)
    await expect.poll(intents).toHaveLength(1)
    caller.abort()
    await expect(waiting).rejects.toMatchObject({ reason: { type: 'cancelled' } })
    const closing = calls.call(log.ctx(), request, neverAborted())
    await expect.poll(intents).toHaveLength(1)
    await Promise.all([
      calls.close(),
      expect(closing).rejects.toMatchObject({ reason: { type: 'interrupted' } }),
    ])
    await expect(call(calls)).rejects.toMatchObject({ code: 'store.unavailable' })
    expect((await runs()).map(({ error_type: type }) => type)).toEqual(['interrupted', 'cancelled'])
  })
})

describe('an intent', () => {
  test('is stored before the model call, names actor and target, and contains no values', async () => {
    const storedIntents: unknown[] = []
    const models = replying(async function* () {
      storedIntents.push(...(await intents()))
      yield end
    })
    await call(callsWith(models), { variables: { who: 'Rumpelstilzchen' } })
    expect(storedIntents).toHaveLength(1)
    expect(JSON.stringify(storedIntents)).toContain('edda')
    expect(JSON.stringify(storedIntents)).not.toContain('Rumpelstilzchen')
    expect(await intents()).toEqual([])
  })
  test('that another instance ended is not recorded again, and the caller gets the output', async () => {
    const models = replying(async function* () {
      expect(await recover(log.runs.record, ['instance-2'])).toBe(0)
      expect(await recover(log.runs.record, ['instance-1'])).toBe(1)
      yield delta('Hello')
      yield end
    })
    const calls = callsWith(models)
    await expect(call(calls)).rejects.toMatchObject({
      code: 'store.unavailable',
      message: expect.stringMatching(/^The model responded\. .*recorded the call as interrupted\.$/),
      extra: { call: { output: 'Hello', runId: null } },
    })
    await calls.close()
    expect(await runs()).toMatchObject([{ error_type: 'interrupted', output_tokens: null }])
  })
  test('becomes a run if its workspace was deleted meanwhile', async () => {
    const { run } = await call(callsWith(emitting([delta('Hello'), end])), { workspaceId: 'w-gone' })
    expect(run.workspace_id).toBe('w-gone')
    expect(await intents()).toEqual([])
  })
})

describe('a store that cannot accept the run', () => {
  test('returns the output with the reason; the run is stored when there is space', async () => {
    const { store, record } = limitedStore(0)
    const calls = callsWith(emitting([delta('Hello'), end]), record)
    await expect(call(calls)).rejects.toMatchObject({
      code: 'store.full',
      message: expect.stringContaining('The model responded'),
      extra: { call: { rendered: 'Hi world', output: 'Hello', runId: null, errorType: null } },
    })
    expect([await runs(), await intents()]).toMatchObject([[], [{ request_id: 'request-1' }]])
    store.capacity = 1
    await calls.close()
    expect([await runs(), await intents()]).toMatchObject([[{ status: 'ok', output_tokens: 5 }], []])
  })
  test('logs the call as interrupted once at the next start, if the service ends before', async () => {
    const calls = callsWith(emitting([delta('Hello'), end]), limitedStore(0).record)
    await expect(call(calls)).rejects.toMatchObject({ code: 'store.full' })
    await calls.close()
    log.now += 60_000
    expect([await recover(), await recover()]).toEqual([1, 0])
    expect(await runs()).toMatchObject([
      {
        status: 'error',
        error: 'interrupted: The service stopped during the call',
        error_type: 'interrupted',
        latency_ms: 0,
        prompt_tokens: null,
        cost_usd: null,
        user: 'edda',
        provider: 'openai',
        model: 'gpt-4o',
        ref_key: 'greet',
        parent_id: 'trace-7',
        reported: false,
        created_at: '2026-11-21T12:00:00.000Z',
      },
    ])
  })
  test('continues at the next start after a failed one, and stores no run twice', async () => {
    const calls = callsWith(emitting([end]), limitedStore(0).record)
    await Promise.allSettled(Array.from({ length: 12 }, () => call(calls)))
    expect(await intents()).toHaveLength(12)
    await expect(recover(limitedStore(5).record)).rejects.toMatchObject({ code: 'store.full' })
    await expect.poll(runs).toHaveLength(5)
    expect([await recover(), (await runs()).length]).toEqual([7, 12])
    // Older than the retention of runs: logged anyway, until retention deletes it.
    await calls.close()
    expect(await runs()).toHaveLength(12)
    expect(await intents()).toEqual([])
  })
  test('logs a call that was interrupted long ago, then deletes it by age', async () => {
    const calls = callsWith(emitting([end]), limitedStore(0).record)
    await call(calls).catch(() => {})
    log.now += 200 * 86_400_000
    expect(await recover()).toBe(1)
    expect(await runs()).toHaveLength(1)
    await log.runs.maintain()
    expect(await runs()).toEqual([])
    await calls.close()
  })
})

describe('redaction of values', () => {
  test.each([
    [{ who: 'Ada Lovelace' }, 'Dear ADA LOVELACE, Ada!', 'Dear {{who}}, Ada!'],
    [{ a: 'long', b: 'longer text' }, 'longer text, long', '{{b}}, {{a}}'],
    [{ customer: { id: 123_456, name: 'Bo' } }, 'Bo has 123456', 'Bo has {{customer.id}}'],
    [{ list: ['first', 'second'] }, 'second of first', '{{list.1}} of {{list.0}}'],
    [{ quoted: 'a "word"\nhere' }, '{"x":"a \\"word\\"\\nhere"}', '{"x":"{{quoted}}"}'],
    [{ money: '$& $1' }, 'all $& $1', 'all {{money}}'],
    [{ who: 'İstanbul' }, 'in İstanbul', 'in {{who}}'],
    [{ flag: true, none: null, short: 'abc' }, 'true null abc', 'true null abc'],
  ])('%j', (variables, text, expected) => {
    expect(withoutValues(variables)(text)).toBe(expected)
  })
  test('stores nothing of a text with too many values', () => {
    const many = Object.fromEntries(Array.from({ length: 5000 }, (_, n) => [`v${n}`, `value ${n}`]))
    expect(withoutValues(many)('value 7 '.repeat(50_000))).toMatch(/^\[not stored/)
  })
})
