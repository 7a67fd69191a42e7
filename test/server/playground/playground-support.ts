import type { TestServer } from '../../support/service.ts'
import { server, setUpWatched } from '../file-service.ts'

export { server, watcher } from '../file-service.ts'

export let viewer: Awaited<ReturnType<TestServer['signedIn']>>

export const hi = { content: 'Hi {{who}}', variables: { who: 'world' }, provider: 'mock' }

/** Starts a service before the tests of the calling file and closes it after them. */
export const setUpService = () =>
  setUpWatched(async () => {
    viewer = await server.signedIn('viewer', 'vera')
  })
