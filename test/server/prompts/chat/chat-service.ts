import { afterAll, beforeAll } from 'vitest'
import { type Watcher, watch } from '../../../support/scenario.ts'
import { startTestServer, type TestServer } from '../../../support/service.ts'
import { content, messages, params } from '../chat-support.ts'

export let server: TestServer

export let watcher: Watcher

export const body = { type: 'chat', content, messages, params, model: 'gpt-4o' }

export const user = (text: string) => ({ role: 'user', content: text })

/** Starts a service before the tests of the calling file and closes it after them. */
export function setUpService(): void {
  beforeAll(async () => {
    server = await startTestServer()
    watcher = await watch(server)
  })
  afterAll(async () => {
    await watcher.close()
    await server.close()
  })
}
