import { afterEach, describe, expect, it, vi } from 'vitest'
import { z } from 'zod'
import type { GenerateRequest } from '../../../server/models/model.ts'
import { sleep } from '../../../server/models/policies/sleep.ts'
import { exampleOf } from '../../../server/models/providers/mock/schema-example.ts'
import { choice, modelsAt, outcome, requestOf } from './models-support.ts'

const nowhere = 'http://127.0.0.1:9'
const parts = { sleep, stallMs: 100 }
const run = (change: Partial<GenerateRequest> = {}, model = 'mock-small') =>
  outcome(modelsAt(nowhere, {}, parts), 'mock', requestOf(model, change))

/** Returns the outcome and its duration in milliseconds, on a clock that only the delays move. */
async function timed(change: Partial<GenerateRequest>, model: string) {
  vi.useFakeTimers({ toFake: ['performance'] })
  const advance = async (ms: number) => void vi.advanceTimersByTime(ms)
  const start = performance.now()
  const got = await outcome(modelsAt(nowhere, {}, { sleep: advance }), 'mock', requestOf(model, change))
  return { got, ms: performance.now() - start }
}
afterEach(() => vi.useRealTimers())

describe('mock', () => {
  it('repeats the prompt, deterministically, and reports no usage', async () => {
    const first = await run()
    expect(first).toMatchObject({ text: 'mock completion (mock-small): Hi world', deltas: 5, error: null })
    expect(first.end).toEqual({ type: 'end', finishReason: 'stop', usage: null })
    expect(await run()).toEqual(first)
  })

  it('keeps white space and lines of a prompt', async () => {
    const content = '  one\n\n\ttwo   three \n'
    const got = await run({ messages: [{ role: 'user', content }] })
    expect(got.text).toBe(`mock completion (mock-small): ${content}`)
  })

  it('replies to the last message', async () => {
    const got = await run({
      messages: [
        { role: 'system', content: 'Be brief' },
        { role: 'user', content: 'one' },
        { role: 'assistant', content: 'two' },
        { role: 'user', content: 'three' },
      ],
    })
    expect(got.text).toBe('mock completion (mock-small): three')
  })

  it('replies to a long prompt in pieces of constant size', async () => {
    const content = 'word '.repeat(50_000)
    const got = await run({ messages: [{ role: 'user', content }] })
    expect(got.text).toBe(`mock completion (mock-small): ${content}`)
    expect(got.deltas).toBeLessThanOrEqual(2001)
  })

  it('yields to other work while a thousand calls run', async () => {
    const models = modelsAt(nowhere)
    const messages = [{ role: 'user' as const, content: 'word '.repeat(100) }]
    let iterations = 0
    let isOver = false
    const count = () => {
      iterations += 1
      if (!isOver) setImmediate(count)
    }
    setImmediate(count)
    const calls = Array.from({ length: 1000 }, () =>
      outcome(models, 'mock', requestOf('mock-small', { messages })),
    )
    const got = await Promise.all(calls)
    isOver = true
    const kinds = new Set(got.map(({ error, ends, deltas }) => `${error} ${ends} ${deltas}`))
    expect([...kinds]).toEqual(['null 1 103'])
    // 13 yields per call, four calls per event loop iteration.
    expect(iterations).toBeGreaterThan(3000)
  })

  it('has the requested speed', async () => {
    const params = { mock: { first_token_ms: 100, tokens_per_second: 50 } }
    const { got, ms } = await timed({ params }, 'mock-small')
    expect(got.text).toContain('Hi world')
    // 100 ms, and four delays of 20 ms.
    expect(ms).toBeCloseTo(180)
  })

  it('simulates a large model for its name, unless parameters differ', async () => {
    expect((await timed({}, 'mock-large')).ms).toBeGreaterThan(200)
    const params = { mock: { first_token_ms: 0, tokens_per_second: 100_000 } }
    const { got, ms } = await timed({ params }, 'mock-large')
    expect(got.text).toBe('mock completion (mock-large): Hi world')
    expect(ms).toBe(0)
  })

  it.each([
    ['start', 0, 'provider_error'],
    ['middle', 3, 'provider_error'],
    ['stall', 3, 'stalled'],
  ] as const)('fails on request: %s', async (fail, deltas, type) => {
    const got = await run({ params: { mock: { fail } } })
    expect(got).toMatchObject({ deltas, end: null, error: { type } })
  })

  it('stops when it is cancelled, also during a delay', async () => {
    const caller = new AbortController()
    const params = { mock: { first_token_ms: 60_000 } }
    const cancelling = (ms: number, signal: AbortSignal) => {
      const delay = sleep(ms, signal)
      caller.abort()
      return delay
    }
    const models = modelsAt(nowhere, {}, { sleep: cancelling })
    const got = await outcome(models, 'mock', requestOf('mock-small', { params }), caller.signal)
    expect(got.error?.type).toBe('cancelled')
  })

  it('can be abandoned in the middle', async () => {
    const events = choice(modelsAt(nowhere, {}, parts), 'mock').generate(
      requestOf('mock-small'),
      new AbortController().signal,
      'user:u-1',
    )
    for await (const event of events) {
      expect(event).toEqual({ type: 'delta', text: 'mock ' })
      break
    }
  })

  it('stops at a stop sequence, and is cut at its limit', async () => {
    expect(await run({ params: { stop: ['world', ' Hi'] } })).toMatchObject({
      text: 'mock completion (mock-small):',
      end: { finishReason: 'stop' },
    })
    expect(await run({ params: { max_output_tokens: 2 } })).toMatchObject({
      text: 'mock completion ',
      end: { finishReason: 'length' },
    })
  })

  it('fills in a schema', async () => {
    const responseSchema = {
      type: 'object',
      properties: { city: { type: 'string' }, n: { type: 'integer' } },
    }
    const got = await run({ responseSchema })
    expect(JSON.parse(got.text)).toEqual({ city: 'mock', n: 1 })
    expect(await run({ responseSchema })).toEqual(got)
  })

  it('calls the first tool if a tool is required', async () => {
    const parameters = { type: 'object', properties: { q: { type: 'string', enum: ['b', 'a'] } } }
    const tools = ['find', 'other'].map((name) => ({ name, description: '', parameters }))
    const got = await run({ tools, params: { tool_choice: 'required' } })
    expect(got).toMatchObject({
      text: '',
      calls: [{ id: 'call_mock_1', name: 'find', arguments: { q: 'b' } }],
      end: { finishReason: 'tool_calls' },
    })
    expect((await run({ tools })).calls).toEqual([])
  })
})

describe('an example of a schema', () => {
  const tree = {
    $ref: '#/$defs/node',
    $defs: {
      node: {
        type: 'object',
        properties: {
          name: { type: 'string' },
          next: { anyOf: [{ $ref: '#/$defs/node' }, { type: 'null' }] },
        },
        required: ['name'],
      },
    },
  }
  it.each([
    [{ type: 'string' }, 'mock'],
    [{ type: 'string', minLength: 6 }, 'mockxx'],
    [{ type: 'string', maxLength: 2 }, 'mo'],
    [{ type: 'string', format: 'date-time' }, '2026-01-01T00:00:00Z'],
    [{ type: 'string', format: 'email' }, 'mock@example.com'],
    [{ type: 'string', format: 'uuid' }, '00000000-0000-4000-8000-000000000000'],
    [{ type: 'integer' }, 1],
    [{ type: 'integer', minimum: 5, multipleOf: 3 }, 6],
    [{ type: 'integer', exclusiveMinimum: 5 }, 6],
    [{ type: 'number', maximum: 0.25, multipleOf: 0.25 }, 0.25],
    [{ type: 'integer', maximum: -4 }, -4],
    [{ type: 'boolean' }, true],
    [{ type: ['null', 'integer'] }, 1],
    [{ type: 'null' }, null],
    [{ const: 7 }, 7],
    [{ enum: ['z', 'a'] }, 'z'],
    [{ type: 'array', items: { type: 'boolean' }, minItems: 2 }, [true, true]],
    [{ type: 'array', items: { type: 'boolean' }, maxItems: 0 }, []],
    [{ oneOf: [{ type: 'null' }, { type: 'integer' }] }, 1],
    [
      {
        allOf: [
          { type: 'object', properties: { a: { type: 'string' } }, required: ['a'] },
          { properties: { b: { type: 'integer' } }, required: ['b'] },
        ],
      },
      { a: 'mock', b: 1 },
    ],
  ])('%o → %o', (schema, expected) => {
    expect(exampleOf(schema)).toEqual(expected)
    expect(z.fromJSONSchema(schema as never).safeParse(expected).success).toBe(true)
  })

  it('of a recursive schema is finite', () => {
    const example = exampleOf(tree)
    expect(example).toMatchObject({ name: 'mock', next: { name: 'mock' } })
    expect(JSON.stringify(example).length).toBeLessThan(1000)
  })

  it.each([
    { $ref: '#' },
    { $ref: '#/$defs/absent' },
    { allOf: [{ $ref: '#' }] },
    { type: 'array', items: { $ref: '#' }, minItems: 100 },
    { properties: { a: { anyOf: 'no list' } } },
  ])('of an unsatisfiable schema is also finite: %o', (schema) => {
    expect(() => JSON.stringify(exampleOf(schema))).not.toThrow()
  })
})
