import { afterAll, beforeAll } from 'vitest'
import { movableClock, type Watcher, watch } from '../support/scenario.ts'
import { startTestServer, type TestServer, type TestServerOptions } from '../support/service.ts'

export let server: TestServer

/** The watcher of `setUpWatched`. */
export let watcher: Watcher

/** The clock of `onMovableClock`. */
export let time: ReturnType<typeof movableClock>

type Options = TestServerOptions | (() => TestServerOptions)

/** Starts a service before the tests of the calling file and closes it after them. `prepare` adds what they share. */
export function setUpService(prepare?: () => Promise<unknown>, options?: Options): void {
  beforeAll(async () => {
    server = await startTestServer(typeof options === 'function' ? options() : options)
    await prepare?.()
  })
  afterAll(() => server.close())
}

/** Like `setUpService`, with a watcher that starts after `prepare`. */
export function setUpWatched(prepare?: () => Promise<unknown>, options?: Options): void {
  setUpService(async () => {
    await prepare?.()
    watcher = await watch(server)
  }, options)
  afterAll(() => watcher.close())
}

/** Watches the service again, after its watcher was closed. */
export async function watchAgain(): Promise<void> {
  watcher = await watch(server)
}

/** Returns the options of a service on a new movable clock. */
export function onMovableClock(substitutes?: TestServerOptions['substitutes']): TestServerOptions {
  time = movableClock()
  return { substitutes: { ...substitutes, clock: time.clock } }
}
