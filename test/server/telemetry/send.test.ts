import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, it } from 'vitest'
import { send } from '../../../server/telemetry/export/send.ts'

it('a collector sets the time of the next attempt in seconds or as a date; only OTLP statuses are retried', async () => {
  const replies = [
    [503, '7'],
    [429, new Date(Date.now() + 90_000).toUTCString()],
    [503, new Date(Date.now() - 90_000).toUTCString()],
    [503, 'soon'],
    [408, '1'],
  ] as const
  const results = []
  for (const [status, after] of replies) {
    const reply = async () => new Response('', { status, headers: { 'retry-after': after } })
    const deps = {
      fetch: reply,
      endpoint: 'http://x',
      headers: {},
      encoding: 'json',
      timeoutMs: 9000,
    } as const
    results.push(await send(deps, 'traces', {}, new AbortController().signal))
  }
  const [seconds, date, past, text, refused] = results
  expect(seconds).toMatchObject({ kind: 'failed', retryAfterMs: 7000 })
  const { retryAfterMs = 0 } = date?.kind === 'failed' ? date : {}
  expect(retryAfterMs).toBeGreaterThan(60_000)
  expect(past).toMatchObject({ retryAfterMs: 0 })
  expect(text).toMatchObject({ retryAfterMs: null })
  expect(refused?.kind).toBe('refused')
})

it('a collector that does not reply in time is not reported as unreachable', async () => {
  const collector = createServer().listen(0, '127.0.0.1')
  await once(collector, 'listening')
  const endpoint = `http://127.0.0.1:${(collector.address() as AddressInfo).port}`
  const deps = { fetch, endpoint, headers: {}, encoding: 'json', timeoutMs: 100 } as const
  const sendUntil = (stop: AbortSignal) => send(deps, 'traces', {}, stop)
  expect(await sendUntil(new AbortController().signal)).toMatchObject({
    kind: 'failed',
    reason: 'The collector did not reply within 100 ms',
  })
  expect(await sendUntil(AbortSignal.abort())).toMatchObject({ reason: expect.stringContaining('stopped') })
  collector.closeAllConnections()
  await new Promise((resolve) => collector.close(resolve))
})
