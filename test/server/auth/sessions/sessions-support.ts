import { afterAll, beforeAll } from 'vitest'
import { movableClock, type Watcher, watch } from '../../../support/scenario.ts'
import { startTestServer, type TestServer } from '../../../support/service.ts'

export type SignedIn = Awaited<ReturnType<TestServer['signedIn']>>

export let time: ReturnType<typeof movableClock>

export let server: TestServer

export let watcher: Watcher

export const status = async (token: string) => (await server.call('GET /api/me', { token })).status

export const me = async (token: string) => (await server.call('GET /api/me', { token })).body

/** Starts a service before the tests of the calling file and closes it after them. */
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
