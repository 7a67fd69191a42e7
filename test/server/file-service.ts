import { afterAll, beforeAll } from 'vitest'
import { type Watcher, watch } from '../support/scenario.ts'
import { startTestServer, type TestServer, type TestServerOptions } from '../support/service.ts'

export let server: TestServer

/** The watcher of `setUpWatched`. */
export let watcher: Watcher

/** Starts a service before the tests of the calling file and closes it after them. `prepare` adds what they share. */
export function setUpService(prepare?: () => Promise<unknown>, options?: TestServerOptions): void {
  beforeAll(async () => {
    server = await startTestServer(options)
    await prepare?.()
  })
  afterAll(() => server.close())
}

/** Like `setUpService`, with a watcher that starts after `prepare`. */
export function setUpWatched(prepare?: () => Promise<unknown>, options?: TestServerOptions): void {
  setUpService(async () => {
    await prepare?.()
    watcher = await watch(server)
  }, options)
  afterAll(() => watcher.close())
}
