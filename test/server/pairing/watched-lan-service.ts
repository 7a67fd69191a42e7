import { afterAll, beforeAll } from 'vitest'
import { type LanServer, startLanServer } from '../../support/lan/listener.ts'
import { movableClock, type Watcher, watch } from '../../support/scenario.ts'

export let time: ReturnType<typeof movableClock>

export const minute = 60_000

export let server: LanServer

export let watcher: Watcher

/** Reads status and code of a reply. */
export const outcome = ({ status, body }: { status: number; body: { code?: string } }) => ({
  status,
  code: body.code,
})

/**
 * Starts a service with a movable clock that is shared on the network, and a watcher, before the tests of the
 * calling file. Closes both after them.
 */
export function setUpService(): void {
  beforeAll(async () => {
    time = movableClock()
    server = await startLanServer({ substitutes: { clock: time.clock } })
    watcher = await watch(server)
  })
  afterAll(async () => {
    await watcher.close()
    await server.close()
  })
}
