import { join } from 'node:path'
import { expect } from 'vitest'
import type { RunReport } from '../../../contract/runs/run.ts'
import { server, setUpService as start } from '../file-service.ts'

export { server } from '../file-service.ts'

/** Starts a service before the tests of the calling file and closes it after them. */
export const setUpService = () =>
  start(
    async () => {
      await server.call('PATCH /api/settings', { body: { capture: 'full' } })
    },
    { substitutes: { store: { snapshotAtClose: true } } },
  )

export const report = (fields: Partial<RunReport>): RunReport => ({
  provider: 'openai',
  model: 'gpt-4o',
  latency_ms: 100,
  status: 'ok',
  ...fields,
})
/** Reports one run; returns its id. */
export async function add(fields: Partial<RunReport>): Promise<number> {
  const reply = await server.call('POST /api/runs', { body: report(fields) })
  expect(reply.status).toBe(201)
  return reply.body.data.id
}
export async function search(content: string, more = '') {
  const reply = await server.call(`GET /api/runs?content=${encodeURIComponent(content)}${more}`)
  expect([reply.status, reply.body]).toMatchObject([200, {}])
  return reply.body
}
export const idsOf = async (content: string, more = ''): Promise<number[]> =>
  (await search(content, more)).data.map(({ id }: { id: number }) => id)
export const indexFolder = () => join(server.dataDir, 'payloads', 'index')
/** Waits until the index of captured texts is complete. */
export async function complete(): Promise<void> {
  await expect
    .poll(async () => (await search('anything')).content_incomplete, { timeout: 20_000 })
    .toBeUndefined()
}
