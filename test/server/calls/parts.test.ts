import { describe, expect, test } from 'vitest'
import { withoutValues } from '../../../server/calls/result/redact.ts'
import { createTokenCounter } from '../../../server/calls/result/token-counter.ts'
import { ModelError } from '../../../server/models/model.ts'
import {
  call,
  callsWith,
  delta,
  emitting,
  end,
  errors,
  intents,
  log,
  neverAborted,
  recover,
  replying,
  request,
  runs,
  setUpLog,
} from './parts-support.ts'

describe('usage', () => {
  setUpLog()

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
    const pending = tokens.count(['Hi', 'world'])
    await tokens.close()
    expect([await pending, await tokens.count(['Hi'])]).toEqual([[null, null], [null]])
    expect(errors).toEqual([])
  })
})

describe('an invalid stream', () => {
  setUpLog()

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
  setUpLog()

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
