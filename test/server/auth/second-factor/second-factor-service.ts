import { pino } from 'pino'
import { afterAll, beforeAll } from 'vitest'
import { movableClock, type Watcher, watch } from '../../../support/scenario.ts'
import { startTestServer, type TestServer } from '../../../support/service.ts'
import { codeAt } from '../second-factor-support.ts'

export const step = 30_000

export const minute = 60_000

export let time: ReturnType<typeof movableClock>

export const logged: string[] = []

export let server: TestServer

export let watcher: Watcher

export const codeNow = (secret: string, steps = 0) => codeAt(secret, time.clock.now(), steps)

export const withPassword = (person: { password: string }) => ({ current_password: person.password })

/** Starts a service before the tests of the calling file and closes it after them. */
export function setUpService(): void {
  beforeAll(async () => {
    time = movableClock()
    const logger = pino({ level: 'trace' }, { write: (line: string) => void logged.push(line) })
    server = await startTestServer({ substitutes: { clock: time.clock, logger } })
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
