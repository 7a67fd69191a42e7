import { afterAll, beforeAll } from 'vitest'
import { type Watcher, watch } from '../../support/scenario.ts'
import { startTestServer, type TestServer } from '../../support/service.ts'

export let server: TestServer

export let watcher: Watcher

export const tokens: Record<string, string> = {}

/** Starts a service before the tests of the calling file and closes it after them. */
export function setUpService(): void {
  beforeAll(async () => {
    server = await startTestServer()
    for (const role of ['viewer', 'editor', 'admin'] as const) {
      tokens[role] = (await server.signedIn(role, role === 'admin' ? 'chief' : role)).token
    }
    watcher = await watch(server)
  })
  afterAll(async () => {
    await watcher.close()
    await server.close()
  })
}

/** Watches the service again, after its watcher was closed. */
export async function watchAgain(): Promise<void> {
  watcher = await watch(server)
}
