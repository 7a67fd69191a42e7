import { afterAll, afterEach, beforeAll, expect } from 'vitest'
import { startTestServer, type TestServer } from '../../support/service.ts'
import type { Peer } from '../live/live-support.ts'

export let server: TestServer

export let admin: { username: string; token: string }

export const peers: Peer[] = []

/** Starts a service before the tests of the calling file and closes it after them. */
export function setUpService(): void {
  beforeAll(async () => {
    server = await startTestServer()
    admin = await server.signedIn('admin', 'adele')
  })
  afterAll(() => server.close())
  afterEach(async () => {
    for (const peer of peers.splice(0)) {
      peer.socket.close()
      await peer.closed
    }
    await expect.poll(async () => (await server.call('GET /api/clients')).body.total).toBe(0)
  })
}
