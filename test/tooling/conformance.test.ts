import { setImmediate } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { render } from '../../contract/formats/template.ts'
import { CaseFile } from '../../sdk/conformance/case-schema.mjs'
import { FaultServer } from '../../sdk/conformance/fault-server.mjs'
import { runCase } from '../../sdk/conformance/harness.mjs'
import { Adapter } from '../../sdk/conformance/lib/adapter.mjs'
import { loadCases, parseCases } from '../../sdk/conformance/lib/cases.mjs'
import { Flapping } from '../../sdk/conformance/lib/flapping.mjs'
import { mismatch } from '../../sdk/conformance/lib/match.mjs'
import { race } from '../../sdk/conformance/lib/racing.mjs'

type Request = {
  id: number
  op: string
  client: string
  key: string
  options: { server: string; token: string }
}

/** A minimal client for the cases below: it fetches each time, and emits an update on watch. */
function fakeAdapter({ instance = (): string => 'i-1', tokenInUrl = false } = {}) {
  const options = new Map<string, Request['options']>()
  const handle = async ({ op, client, key, options: clientOptions }: Request): Promise<unknown> => {
    if (op === 'new') options.set(client, clientOptions)
    if (op === 'watch') write({ event: 'update', client, data: { key: 'greet', version: 'v2' } })
    if (op !== 'get_prompt') return op === 'close' ? 0 : null
    const { server, token } = options.get(client) ?? { server: '', token: '' }
    const query = tokenInUrl ? `?token=${token}` : ''
    const headers = { authorization: `Bearer ${token}`, 'promptdeck-instance': instance() }
    const reply = await fetch(`${server}/api/sdk/prompts/${encodeURIComponent(key)}${query}`, { headers })
    if (!reply.ok) throw Object.assign(new Error(`status ${reply.status}`), { code: 'NotFound' })
    return { ...((await reply.json()) as object), source: 'network' }
  }
  const write = (message: object) => adapter.receive(JSON.stringify(message))
  const adapter: Adapter = new Adapter({
    send(line: string) {
      const request: Request = JSON.parse(line)
      handle(request).then(
        (ok) => write({ id: request.id, ok }),
        ({ code, message }) => write({ id: request.id, error: { code, message } }),
      )
    },
    stop: () => Promise.resolve(),
  })
  return adapter
}

const server = { prompts: { greet: { version: 'v1', content: 'Hi' } } }
const play = (steps: readonly object[], adapter = fakeAdapter()) =>
  runCase({ name: 'test: one', server, steps }, adapter)
const failing = async (steps: readonly object[], adapter = fakeAdapter()) => {
  const result = await play(steps, adapter)
  if (result.passed) throw new Error('The case passed')
  return result
}

describe('the harness', () => {
  const get = { do: 'get_prompt', key: 'greet' }

  it('passes a client that behaves as a case requires', async () => {
    const steps = [
      {
        ...get,
        returns: { version: 'v1', content: { $re: '^H' }, source: 'network', nope: { $absent: true } },
      },
      { do: 'get_prompt', key: 'other', throws: 'NotFound' },
      { requests: { path: '/api/sdk/prompts/greet' }, count: 1 },
      { do: 'watch' },
      { event: 'update', data: { version: 'v2' } },
      { no_event: 'update', for_ms: 10 },
    ]
    expect(await play(steps)).toEqual({ passed: true })
  })

  it.each([
    ['a wrong reply', [{ ...get, returns: { version: 'v2' } }], 1, 'version is "v1", expected "v2"'],
    ['a reply instead of an error', [{ ...get, throws: 'NotFound' }], 1, 'should throw'],
    ['an unexpected error', [{ do: 'get_prompt', key: 'other' }], 1, 'threw NotFound'],
    ['another error', [{ do: 'get_prompt', key: 'other', throws: 'Forbidden' }], 1, 'code is "NotFound"'],
    ['too many requests', [get, get, { requests: {}, count: 1, within_ms: 50 }], 3, '2 requests match'],
    ['too few requests', [get, { requests: {}, count: 2, within_ms: 50 }], 2, '1 requests match'],
    ['a missing event', [{ event: 'update', within_ms: 50 }], 1, 'no "update" was emitted'],
    ['a wrong event', [{ do: 'watch' }, { event: 'update', data: { version: 'v9' } }], 2, 'expected "v9"'],
    ['an unexpected event', [{ do: 'watch' }, { no_event: 'update', for_ms: 50 }], 2, '"update" was emitted'],
    ['an early reply', [{ ...get, not_before_ms: 2000 }], 1, 'not before 2000'],
    ['a missing run', [{ reported: [{}], within_ms: 50 }], 1, '0 runs are stored'],
    ['a missing connection', [{ connections: 1, within_ms: 50 }], 1, '0 connections'],
    ['a reply that no step awaits', [{ ...get, background: true, as: 'one' }], null, 'No step awaits one'],
  ])('fails %s', async (_, steps, step, reason) => {
    expect(await failing(steps)).toMatchObject({ step, reason: expect.stringContaining(reason) })
  })

  it('fails a missing reply', async () => {
    const respond = { server: { respond: { path: '/api/sdk/prompts/greet', hang: true } } }
    const result = await failing([respond, { ...get, within_ms: 50 }])
    expect(result).toMatchObject({ step: 2, reason: expect.stringContaining('longer than 50 ms') })
  })

  it('fails a client with its token in an address', async () => {
    const result = await failing([{ ...get, throws: 'NotFound' }], fakeAdapter({ tokenInUrl: true }))
    expect(result.reason).toContain('The token is in the address')
  })

  it('fails a client with several instance ids', async () => {
    const ids = ['i-1', 'i-2']
    const result = await failing([get, get], fakeAdapter({ instance: () => ids.shift() ?? '' }))
    expect(result.reason).toContain('2 instance ids')
  })

  it('replies 405 with the methods of the route', async () => {
    const faults = new FaultServer()
    await faults.start()
    const headers = { authorization: 'Bearer secret-token-1' }
    const reply = await fetch(`${faults.url}/api/runs`, { headers })
    await faults.stop()
    expect([reply.status, reply.headers.get('allow')]).toEqual([405, 'POST'])
  })

  /** Returns an adapter that ends with the first request for `op`, and a promise of that. */
  function endingAdapter(op: string) {
    const adapter = fakeAdapter()
    const { send } = adapter
    const ended = new Promise<void>((resolve) => {
      adapter.send = (line: string) => {
        if (JSON.parse(line).op !== op) return send(line)
        adapter.ended('The adapter ended (1)')
        resolve()
      }
    })
    return { adapter, ended }
  }

  it('reports an adapter that ends during races', async () => {
    const { findings } = await race(endingAdapter('get_prompt').adapter, 8, 1)
    expect(findings).toContain('The adapter ended (1)')
  })

  it('reports an adapter that ends during flapping connections', async () => {
    const { adapter, ended } = endingAdapter('report_run')
    const client = new Flapping(adapter, 'flap', () => 0.5)
    await client.start('')
    await ended
    // Only now, an unhandled rejection would be detected.
    await setImmediate()
    await expect(client.end()).rejects.toThrow('The adapter ended (1)')
    await client.server.stop()
  })

  it('fails all pending requests when the adapter ends', async () => {
    const adapter: Adapter = new Adapter({ send: () => undefined, stop: () => Promise.resolve() })
    const pending = [adapter.request('flush'), adapter.request('flush')]
    adapter.ended('The adapter ended (1)')
    for (const one of pending) await expect(one).rejects.toThrow('The adapter ended (1)')
    expect((await failing([get], adapter)).passed).toBe(false)
  })
})

describe('expectations', () => {
  it.each([
    [{ a: 1 }, { a: 1, b: 2 }],
    [[{ a: 1 }], [{ a: 1, b: 2 }]],
    [{ a: { $any: true }, b: { $absent: true } }, { a: null }],
    [
      { a: { $gte: 2 }, b: { $lte: 2 } },
      { a: 2, b: 2 },
    ],
    [{ a: { $set: ['x', 'y'] } }, { a: ['y', 'x'] }],
    [{ a: { $not: { $re: 'x' } } }, { a: 'y' }],
    [null, null],
  ])('%j matches %j', (expected, value) => expect(mismatch(expected, value)).toBeNull())

  it.each([
    [{ a: 1 }, {}],
    [{ a: 1 }, { a: '1' }],
    [{ a: 1 }, null],
    [[1], [1, 2]],
    [[1, 2], [1]],
    [{ a: { $any: true } }, {}],
    [{ a: { $absent: true } }, { a: null }],
    [{ a: { $set: ['x', 'y'] } }, { a: ['x', 'x'] }],
    [{ a: { $re: '^x' } }, { a: 7 }],
    [{ $json: { x: 1, y: 2 } }, { y: 2, x: 1 }],
    [{ $json: {} }, { x: 1 }],
    [{ toString: { $any: true } }, {}],
    [null, undefined],
  ])('%j does not match %j', (expected, value) => expect(mismatch(expected, value)).not.toBeNull())
})

describe('the cases', () => {
  const cases = loadCases()

  it('match the schema, have unique names, and are many', () => {
    expect(cases.length).toBeGreaterThanOrEqual(120)
    expect(new Set(cases.map(({ name }) => name)).size).toBe(cases.length)
  })

  it.each([
    ['an unknown member', { name: 'a: b', steps: [{ wait_ms: 1 }], extra: 1 }],
    ['an unknown step', { name: 'a: b', steps: [{ dance: true }] }],
    ['an unknown member of a step', { name: 'a: b', steps: [{ do: 'flush', retrns: null }] }],
    ['an unknown op', { name: 'a: b', steps: [{ do: 'dance' }] }],
    ['two actions in one', { name: 'a: b', steps: [{ server: { up: true, seq: 1 } }] }],
    ['an unknown wildcard', { name: 'a: b', steps: [{ do: 'flush', returns: { $res: 'x' } }] }],
    ['no steps', { name: 'a: b', steps: [] }],
    ['no area', { name: 'b', steps: [{ wait_ms: 1 }] }],
  ])('may not have %s', (_, one) => {
    expect(CaseFile.safeParse([one]).success).toBe(false)
    expect(() => parseCases('x.json', JSON.stringify([one]))).toThrow('x.json')
  })

  it('may use shared and generated values', () => {
    const run = {
      list: { $repeat: 2, list: { name: 'v$n', at: '$n' } },
      text: { $repeat: 3, text: 'v$n', join: ' ' },
      members: { $repeat: 2, members: { v$n: '$n' } },
      merged: { b: 2, $use: 'outer' },
    }
    const one = { name: 'a: b', steps: [{ do: 'report_run', run }] }
    const text = (use: string) =>
      JSON.stringify([{ shared: { outer: { a: { $use: use } }, inner: [1] } }, one])
    expect(parseCases('x.json', text('inner'))[0].steps[0].run).toEqual({
      list: [
        { name: 'v0', at: 0 },
        { name: 'v1', at: 1 },
      ],
      text: 'v0 v1 v2',
      members: { v0: 0, v1: 1 },
      merged: { a: [1], b: 2 },
    })
    expect(() => parseCases('x.json', text('other'))).toThrow('no shared value other')
  })

  it('have the same rendering results as the service', () => {
    const steps = cases.flatMap((one) => one.steps).filter((step) => step.do === 'render_template')
    expect(steps.length).toBeGreaterThan(50)
    for (const { content, variables, declared, returns } of steps) {
      const values = JSON.parse(JSON.stringify(variables).replace(/\{"\$raw":"([^"]+)"\}/g, '$1'))
      expect(render(content, values, declared).text).toBe(returns)
    }
  })
})
