import { describe, expect, it } from 'vitest'
import { openEvents } from '../../support/events.ts'
import {
  addedBy,
  eventually,
  inProgress,
  mock,
  path,
  run,
  runs,
  server,
  setUpService,
} from './calls-support.ts'

setUpService()

describe('a failed call is one error run', () => {
  const failures = [
    { name: 'at its start', body: mock({ fail: 'start' }), type: 'provider_error', output: '' },
    {
      name: 'in the middle',
      body: mock({ fail: 'middle' }),
      type: 'provider_error',
      output: 'mock completion (mock-small): ',
    },
    {
      name: 'at its timeout',
      body: mock({ first_token_ms: 5000 }, { timeout_ms: 100 }),
      type: 'timeout',
      output: '',
    },
    {
      name: 'without a key',
      body: { content: 'Hi world', provider: 'openai' },
      type: 'not_configured',
      output: '',
    },
  ]

  it.each(failures)('$name, with the sent input in the reply', async ({ body, type, output }) => {
    let reply: Awaited<ReturnType<typeof run>> | undefined
    const added = await addedBy(async () => {
      reply = await run(body)
    })
    expect(added).toHaveLength(1)
    const [logged] = added
    expect(reply?.headers.get('content-type')).toContain('application/problem+json')
    expect({ status: reply?.status, body: reply?.body }).toMatchObject({
      status: 502,
      body: {
        code: 'provider.failed',
        rendered: 'Hi world',
        output,
        run_id: logged?.['id'],
        error_type: type,
        instance: path,
      },
    })
    expect(logged).toMatchObject({
      status: 'error',
      error: `${type}: ${reply?.body.detail}`,
      error_type: type,
      source: 'playground',
    })
    // Partial output is estimated; for a call without a reply there is no estimate.
    expect(logged?.['tokens_estimated']).toBe(output !== '')
    expect(logged?.['output_tokens'] === null).toBe(output === '')
  })

  it.each(failures)('$name, as the last event of a stream', async ({ body, type }) => {
    let received: Awaited<ReturnType<Awaited<ReturnType<typeof openEvents>>['rest']>> = []
    const added = await addedBy(async () => {
      const events = await openEvents(server, path, { ...body, stream: true })
      expect(events.response.status).toBe(200)
      received = await events.rest()
    })
    expect(added).toMatchObject([{ status: 'error', error_type: type }])
    expect(received.at(-1)).toMatchObject({
      event: 'error',
      data: {
        type: 'urn:problem:provider.failed',
        status: 502,
        rendered: 'Hi world',
        run_id: added[0]?.['id'],
        error_type: type,
        instance: path,
        request_id: expect.stringMatching(/^req_/),
      },
    })
    expect(received.filter(({ event }) => event !== 'delta')).toHaveLength(1)
  })

  it('with a reply that is too large, without waiting for the rest', async () => {
    const body = { content: '{{text}}', variables: { text: 'word '.repeat(120_000) }, provider: 'mock' }
    const added = await addedBy(async () => {
      const reply = await run(body)
      expect(reply.body).toMatchObject({ code: 'provider.failed', error_type: 'too_large' })
    })
    expect(added).toMatchObject([{ error_type: 'too_large' }])
  })

  it('can be filtered by its type, alone and with other filters', async () => {
    const timeouts = await runs('error_type=timeout')
    expect(new Set(timeouts.map(({ error_type: type }) => type))).toEqual(new Set(['timeout']))
    const both = await runs('error_type=timeout&error_type=not_configured&provider=openai')
    expect(new Set(both.map(({ error_type: type }) => type))).toEqual(new Set(['not_configured']))
    expect((await server.call('GET /api/runs?error_type=nothing_like_it')).body.total).toBe(0)
    const csv = await server.call('GET /api/runs/export?format=csv&error_type=timeout')
    expect(csv.text.trim().split('\r\n')).toHaveLength(timeouts.length + 1)
    expect(csv.text).toContain('cached_tokens,reasoning_tokens')
  })

  it('is counted in the statistics', async () => {
    const all = await runs()
    const stats = (await server.call('GET /api/runs/stats')).body.data
    const sum = (field: string) => all.reduce((total, run) => total + Number(run[field] ?? 0), 0)
    expect([stats.total, stats.error, stats.total_tokens]).toEqual([
      all.length,
      all.filter(({ status }) => status === 'error').length,
      sum('total_tokens'),
    ])
  })
})

describe('a caller that disconnects', () => {
  it('in the middle of a stream cancels the call', async () => {
    const before = (await runs('error_type=cancelled')).length
    const caller = new AbortController()
    const events = await openEvents(
      server,
      path,
      { ...mock({ fail: 'stall' }), stream: true },
      { signal: caller.signal },
    )
    expect(await events.next()).toMatchObject({ event: 'delta' })
    caller.abort()
    await eventually('error_type=cancelled', before + 1)
    const [run] = await runs('error_type=cancelled')
    expect(run).toMatchObject({ status: 'error', output_tokens: expect.any(Number), tokens_estimated: true })
  })

  it('while it waits for JSON also cancels it, and a repetition that waits for the same reply runs', async () => {
    const before = (await runs('error_type=cancelled')).length
    const begin = () => {
      const caller = new AbortController()
      const waiting = fetch(server.url + path, {
        method: 'POST',
        headers: {
          authorization: `Bearer ${server.config.serviceToken}`,
          'content-type': 'application/json',
          'idempotency-key': 'repeated',
        },
        body: JSON.stringify(mock({ first_token_ms: 20_000 })),
        signal: caller.signal,
      })
      return { caller, cancelled: expect(waiting).rejects.toThrow(/abort/i) }
    }
    const first = begin()
    await inProgress(1)
    const second = begin()
    // The second request arrives before this one, and waits for the reply to the first.
    await server.call('GET /api/me')
    for (const [at, { caller, cancelled }] of [first, second].entries()) {
      await inProgress(1)
      caller.abort()
      await cancelled
      await eventually('error_type=cancelled', before + at + 1)
    }
    expect(await runs('error_type=cancelled&max_latency_ms=5000')).toHaveLength(before + 2)
  })
})

describe('an Idempotency-Key', () => {
  it('returns the first reply again, from memory, because the store has no output', async () => {
    const body = { ...mock({}), content: 'Tell {{who}} of the purple elephant' }
    let first: Awaited<ReturnType<typeof run>> | undefined
    const added = await addedBy(async () => {
      first = await run(body, { 'idempotency-key': 'p1' })
      const again = await run(body, { 'idempotency-key': 'p1' })
      expect([again.status, again.text]).toEqual([200, first.text])
    })
    expect(added).toHaveLength(1)
    const other = await run({ ...body, content: 'Other' }, { 'idempotency-key': 'p1' })
    expect([other.status, other.body.code]).toEqual([409, 'idempotency.mismatch'])
    await server.restart()
    const later = await addedBy(async () => {
      const reply = await run(body, { 'idempotency-key': 'p1' })
      expect([reply.status, reply.body.code]).toEqual([409, 'idempotency.mismatch'])
      expect(reply.body.detail).toContain('took effect, but its reply is no longer stored')
    })
    expect(later).toEqual([])
  })

  it('of a failed run runs again: a failure is not cached', async () => {
    const body = mock({ fail: 'start' })
    const added = await addedBy(async () => {
      expect((await run(body, { 'idempotency-key': 'p2' })).status).toBe(502)
      expect((await run(body, { 'idempotency-key': 'p2' })).status).toBe(502)
    })
    expect(added).toHaveLength(2)
  })
})

describe('a stop of the service', () => {
  it('with calls in progress makes each an interrupted run, and reports it to the caller', async () => {
    const before = (await runs('error_type=interrupted')).length
    const streams = await Promise.all(
      [1, 2, 3].map(() => openEvents(server, path, { ...mock({ fail: 'stall' }), stream: true })),
    )
    const waiting = run(mock({ first_token_ms: 50_000 }))
    await expect.poll(async () => (await streams[0]?.next())?.event).toBe('delta')
    await inProgress(4)
    // Replied to within the grace period, not cut off after it.
    const [, reply, ...ends] = await Promise.all([
      server.stop(),
      waiting,
      ...streams.map(async (stream) => (await stream.rest()).at(-1)),
    ])
    expect(reply).toMatchObject({ status: 502, body: { error_type: 'interrupted' } })
    for (const end of ends) expect(end).toMatchObject({ event: 'error', data: { error_type: 'interrupted' } })
    await server.restart()
    const left = await runs('error_type=interrupted')
    expect(left).toHaveLength(before + 4)
    // The service measured their duration until the stop.
    for (const { latency_ms: latency } of left) expect(latency).toBeGreaterThan(0)
  })
})

describe('metrics', () => {
  it('measure duration by provider, model, source and status, and omit estimates', async () => {
    await run(mock({}))
    await run(mock({ fail: 'start' }))
    const { text } = await server.call('GET /metrics')
    const labels = 'provider="mock",model="mock-small",source="playground"'
    expect(text).toContain(`gen_ai_client_operation_duration_seconds_count{${labels},status="ok"} 1`)
    expect(text).toContain(`gen_ai_client_operation_duration_seconds_count{${labels},status="error"} 1`)
    expect(text).toContain('# TYPE gen_ai_client_token_usage histogram')
    expect(text).not.toContain('gen_ai_client_token_usage_count{')
  })
  it('combine unknown models once there are many', async () => {
    const names = Array.from({ length: 105 }, (_, n) => `made-up-${n}`)
    await Promise.all(names.map((model) => run({ ...mock({}), model })))
    const { text } = await server.call('GET /metrics')
    const shown = new Set(text.match(/operation_duration_seconds_count\{[^}]*model="[^"]*"/g))
    expect(shown.size).toBeLessThanOrEqual(102)
    expect(text).toMatch(/operation_duration_seconds_count\{provider="mock",model="other"/)
  })
})
