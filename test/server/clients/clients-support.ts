import { afterEach, expect } from 'vitest'
import { server, setUpService as start } from '../file-service.ts'
import type { Peer } from '../live/live-support.ts'

export { server } from '../file-service.ts'

export let admin: { username: string; token: string }

export const peers: Peer[] = []

/** Starts a service before the tests of the calling file and closes it after them. */
export function setUpService(): void {
  start(async () => {
    admin = await server.signedIn('admin', 'adele')
  })
  afterEach(async () => {
    for (const peer of peers.splice(0)) {
      peer.socket.close()
      await peer.closed
    }
    await expect.poll(async () => (await server.call('GET /api/clients')).body.total).toBe(0)
  })
}
