import { afterAll, beforeAll } from 'vitest'
import { type Watcher, watch } from '../../support/scenario.ts'
import { startTestServer, type TestServer } from '../../support/service.ts'

export let server: TestServer

export let watcher: Watcher

export let viewer: Awaited<ReturnType<TestServer['signedIn']>>

export const hi = { content: 'Hi {{who}}', variables: { who: 'world' }, provider: 'mock' }

/** Starts a service before the tests of the calling file and closes it after them. */
export function setUpService(): void {
  beforeAll(async () => {
    server = await startTestServer()
    viewer = await server.signedIn('viewer', 'vera')
    watcher = await watch(server)
  })
  afterAll(async () => {
    await watcher.close()
    await server.close()
  })
}
