import { expect } from 'vitest'
import { server } from '../watched-service.ts'

export { server, setUpService, time, watcher } from '../watched-service.ts'

export let number = 0

type CreatedToken = {
  id: string
  token: string
  role: string
  expires_at: string
  notice: string | null
}

export const admin = (name = `admin-of-${++number}`) => server.signedIn('admin', name)

export async function createToken(token: string, body: object = {}): Promise<CreatedToken> {
  const reply = await server.call('POST /api/tokens', { token, body: { name: `t-${++number}`, ...body } })
  expect(reply.status, reply.text).toBe(201)
  return reply.body.data
}

export const listed = async (id: string) => {
  const { data } = (await server.call('GET /api/tokens?limit=200')).body
  return data.find((token: { id: string }) => token.id === id)
}

export const roleOf = async (token: string) => {
  const reply = await server.call('GET /api/me', { token })
  return reply.status === 200 ? reply.body.role : reply.status
}

export const patchUser = (id: string, body: object) => server.call(`PATCH /api/users/${id}`, { body })
