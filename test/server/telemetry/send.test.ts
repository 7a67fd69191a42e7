import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, it } from 'vitest'
import { send } from '../../../server/telemetry/export/send.ts'

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
