import { afterAll, beforeAll } from 'vitest'
import { movableClock, type Scenario, type Watcher, watch } from '../../../support/scenario.ts'
import { startTestServer, type TestServer } from '../../../support/service.ts'

export let time: ReturnType<typeof movableClock>

export let server: TestServer

export let watcher: Watcher

export let edda: Awaited<ReturnType<TestServer['signedIn']>>

export const noToken = () => null

export const login = (
  name: string,
  body: unknown,
  rest: Partial<Scenario> & { status: number },
): Scenario => ({
  name,
  call: 'POST /api/login',
  token: noToken,
  body,
  ...rest,
})

/** Starts a service before the tests of the calling file and closes it after them. */
export function setUpService(): void {
  beforeAll(async () => {
    time = movableClock()
    server = await startTestServer({ substitutes: { clock: time.clock } })
    edda = await server.signedIn('editor', 'Edda')
    await server.call('POST /api/users', {
      body: { username: 'gone', password: 'a phrase of gone 1', role: 'viewer', disabled: true },
    })
    watcher = await watch(server)
  })
  afterAll(async () => {
    await watcher.close()
    await server.close()
  })
}
