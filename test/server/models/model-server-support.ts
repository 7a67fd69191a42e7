import { afterAll, beforeAll, beforeEach } from 'vitest'
import { type ModelServer, startModelServer } from '../../support/model-server/server.ts'

// The providers' own clients parse the local server's replies, which proves that it implements their
// protocols.

export const key = 'sk-test-0123456789'

export let server: ModelServer

/** Starts a model server before the tests of the calling file and closes it after them. */
export function setUpModelServer(): void {
  beforeAll(async () => {
    server = await startModelServer({ key })
  })
  afterAll(() => server.close())
  beforeEach(() => server.reset())
}
