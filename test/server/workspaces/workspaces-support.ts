import { afterAll, beforeAll, expect } from 'vitest'
import { type Watcher, watch } from '../../support/scenario.ts'
import { startTestServer, type TestServer } from '../../support/service.ts'

export let server: TestServer

export let watcher: Watcher

export const tokens: Record<string, string> = {}

export const as = (role: 'viewer' | 'editor' | 'admin') => () => tokens[role] ?? null

/** Creates workspaces, one after the other. */
export async function addWorkspaces(bodies: readonly object[]): Promise<void> {
  for (const body of bodies)
    expect(await server.call('POST /api/workspaces', { body })).toMatchObject({ status: 201 })
}

/**
 * Starts a service with a user of each role, and a watcher, before the tests of the calling file. Closes both
 * after them.
 */
export function setUpService(): void {
  beforeAll(async () => {
    server = await startTestServer()
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
