import { createServer } from 'node:http'
import { expect, it } from 'vitest'
import { send } from '../../../server/telemetry/export/send.ts'
import { listen } from '../../support/http/loopback.ts'

const inTwoDays = new Date(Date.now() + 172_800_000).toUTCString()
it.each([
  [503, '7', { kind: 'failed', retryAfterMs: 7000 }],
  [429, inTwoDays, { retryAfterMs: expect.closeTo(172_800_000, -6) }],
  [503, 'soon', { retryAfterMs: null }],
  [408, '1', { kind: 'refused' }],
])('%i with Retry-After: %s', async (status, after, expected) => {
  const fetch = async () => new Response('', { status, headers: { 'retry-after': after } })
  const deps = { fetch, endpoint: 'http://x', headers: {}, encoding: 'json', timeoutMs: 9000 } as const
  expect(await send(deps, 'traces', {}, new AbortController().signal)).toMatchObject(expected)
})

it('a collector that does not reply in time is not reported as unreachable', async () => {
  const { url: endpoint, close } = await listen(createServer())
  const deps = { fetch, endpoint, headers: {}, encoding: 'json', timeoutMs: 100 } as const
  const sendUntil = (stop: AbortSignal) => send(deps, 'traces', {}, stop)
  expect(await sendUntil(new AbortController().signal)).toMatchObject({
    kind: 'failed',
    reason: 'The collector did not reply within 100 ms',
  })
  expect(await sendUntil(AbortSignal.abort())).toMatchObject({ reason: expect.stringContaining('stopped') })
  await close()
})
