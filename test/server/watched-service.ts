import { afterAll, beforeAll } from 'vitest'
import { movableClock, type Watcher, watch } from '../support/scenario.ts'
import { startTestServer, type TestServer } from '../support/service.ts'

export let time: ReturnType<typeof movableClock>

export let server: TestServer

export let watcher: Watcher

/** Starts a service with a movable clock, and a watcher, before the tests of the calling file and closes them after. */
export function setUpService(): void {
  beforeAll(async () => {
    time = movableClock()
    server = await startTestServer({ substitutes: { clock: time.clock } })
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
