import { afterAll, beforeAll } from 'vitest'
import type { Substitutes } from '../../server/index.ts'
import { type Watcher, watch } from '../support/scenario.ts'
import { startTestServer, type TestServer } from '../support/service.ts'

export let server: TestServer

export let watcher: Watcher

/** The session tokens of a user of each role. The admin is called `chief`. */
export const tokens: Record<string, string> = {}

export const as = (role: string) => () => tokens[role] ?? null

/**
 * Starts a service with a user of each role, and a watcher, before the tests of the calling file. Closes both
 * after them.
 */
export function setUpService(substitutes: Substitutes = {}): void {
  beforeAll(async () => {
    server = await startTestServer({ substitutes })
    for (const role of ['viewer', 'editor', 'admin'] as const) {
      tokens[role] = (await server.signedIn(role, role === 'admin' ? 'chief' : role)).token
    }
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
