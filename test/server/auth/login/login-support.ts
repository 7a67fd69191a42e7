import type { Scenario } from '../../../support/scenario.ts'
import type { TestServer } from '../../../support/service.ts'
import { onMovableClock, server, setUpWatched } from '../../file-service.ts'

export { server, time, watcher } from '../../file-service.ts'

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
export const setUpService = () =>
  setUpWatched(async () => {
    edda = await server.signedIn('editor', 'Edda')
    await server.call('POST /api/users', {
      body: { username: 'gone', password: 'a phrase of gone 1', role: 'viewer', disabled: true },
    })
  }, onMovableClock)
