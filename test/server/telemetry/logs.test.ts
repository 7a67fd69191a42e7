import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { expect, it } from 'vitest'
import { logRequest } from './fixtures/otlp.ts'
import { json, now, server, setUpService } from './protocol-support.ts'
import { post } from './telemetry-support.ts'

setUpService()

setFlagsFromString('--expose-gc')
const collectGarbage: () => void = runInNewContext('gc')
const mib = 1024 ** 2

/** Sends the start of a request of Codex, with the id of its conversation. */
async function sendStart(conversation: string): Promise<void> {
  const attributes = { 'conversation.id': conversation, duration_ms: 100 }
  const request = logRequest({}, [{ at: now(), event: 'codex.api_request', attributes }])
  expect((await post(server, 'logs', JSON.stringify(request), json)).status).toBe(200)
}

it('long ids of conversations do not stay in memory', async () => {
  await sendStart('first')
  collectGarbage()
  const before = process.memoryUsage().heapUsed
  for (let n = 0; n < 20; n += 1) await sendStart(`${n}${'x'.repeat(3 * mib)}`)
  collectGarbage()
  expect(process.memoryUsage().heapUsed - before).toBeLessThan(30 * mib)
})
