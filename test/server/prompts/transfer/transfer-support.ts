import { afterAll, beforeAll } from 'vitest'
import { type Watcher, watch } from '../../../support/scenario.ts'
import { startTestServer, type TestServer } from '../../../support/service.ts'

export let server: TestServer

export let watcher: Watcher

type Options = Record<string, unknown>

export const importing = (content: string, options: Options = {}, name = 'file') =>
  server.call('POST /api/prompts/import', { body: { files: [{ name, content }], ...options } })

export const outcomes = (reply: {
  body: { data: { items: { key: string; env: string; outcome: string }[] } }
}) => reply.body.data.items.map(({ key, env, outcome }) => `${outcome} ${key} ${env}`)

/** Starts a service before the tests of the calling file and closes it after them. */
export function setUpService(): void {
  beforeAll(async () => {
    server = await startTestServer()
    await server.call('POST /api/workspaces', { body: { name: 'Copy' } })
    watcher = await watch(server)
  })
  afterAll(async () => {
    await watcher.close()
    await server.close()
  })
}
