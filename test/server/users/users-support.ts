import { expect } from 'vitest'
import { server } from '../file-service.ts'

export { server, setUpWatched as setUpService, watcher } from '../file-service.ts'

export const ids: Record<string, string> = {}

export const phrase = 'a long phrase of theirs'

export const add = async (username: string, role = 'viewer', more: object = {}): Promise<string> => {
  const reply = await server.call('POST /api/users', { body: { username, password: phrase, role, ...more } })
  expect(reply.status, reply.text).toBe(201)
  ids[username] = reply.body.data.id
  return reply.body.data.id
}
