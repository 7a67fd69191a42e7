import { expect } from 'vitest'
import type { Answer } from '../../support/service.ts'
import { server, setUpService as start } from '../file-service.ts'

export { server } from '../file-service.ts'

export const tokens: Record<string, string> = {}

export const post = (path: string, body: unknown, token?: string): Promise<Answer> =>
  server.call(`POST ${path}`, { body, ...(token !== undefined && { token }) })

export const put = (path: string, body: unknown, options: { token?: string; ifMatch?: string } = {}) =>
  server.call(`PUT ${path}`, {
    body,
    ...(options.token !== undefined && { token: options.token }),
    ...(options.ifMatch !== undefined && { headers: { 'if-match': options.ifMatch } }),
  })

export const createPrompt = async (body: object): Promise<{ id: string; etag: string }> => {
  const reply = await post('/api/prompts', body)
  expect(reply).toMatchObject({ status: 201 })
  return reply.body.data
}

/** Starts a service before the tests of the calling file and closes it after them. */
export const setUpService = () =>
  start(async () => {
    for (const role of ['viewer', 'editor'] as const) tokens[role] = (await server.signedIn(role, role)).token
  })
