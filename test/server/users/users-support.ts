import { afterAll, beforeAll, expect } from 'vitest'
import { type Watcher, watch } from '../../support/scenario.ts'
import { startTestServer, type TestServer } from '../../support/service.ts'

export let server: TestServer

export let watcher: Watcher

export const ids: Record<string, string> = {}

export const phrase = 'a long phrase of theirs'

export const add = async (username: string, role = 'viewer', more: object = {}): Promise<string> => {
  const reply = await server.call('POST /api/users', { body: { username, password: phrase, role, ...more } })
  expect(reply.status, reply.text).toBe(201)
  ids[username] = reply.body.data.id
  return reply.body.data.id
}

/** Starts a service before the tests of the calling file and closes it after them. */
export function setUpService(): void {
  beforeAll(async () => {
    server = await startTestServer()
    watcher = await watch(server)
  })
  afterAll(async () => {
    await watcher.close()
    await server.close()
  })
}
