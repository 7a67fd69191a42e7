import { expect } from 'vitest'
import { resolverOf } from '../../support/lan/resolver.ts'
import type { Scenario } from '../../support/scenario.ts'
import { as, server, setUpService as setUpServiceWithRoles } from '../service-with-roles.ts'

export { as, server, tokens, watchAgain, watcher } from '../service-with-roles.ts'

const resolve = resolverOf({
  'api.openai.com': ['93.184.216.34'],
  'ai.example.com': ['93.184.216.34'],
  'inside.example.com': ['10.1.2.3'],
  'metadata.example.com': ['169.254.169.254'],
})

export const put = (name: string, body: unknown, rest: Partial<Scenario> & { status: number }): Scenario => ({
  name: rest.name ?? String(JSON.stringify(body)).slice(0, 60),
  call: `PUT /api/providers/${name}`,
  token: as('admin'),
  body,
  ...rest,
})

export const changed = (name: string, action = 'update') => ({
  status: 200,
  audit: [`chief ${action} provider ${name}`],
  frames: ['provider', 'audit'],
})

export const refused = (field: string, message?: string) => ({
  status: 422,
  fields: [field],
  ...(message !== undefined && { reply: { errors: [{ message: expect.stringContaining(message) }] } }),
})

export const get = async (name: string) => (await server.call(`GET /api/providers/${name}`)).body.data

export const lastEntry = async () => {
  const { body } = await server.call('GET /api/audit?resource=provider&limit=1')
  return (await server.call(`GET /api/audit/${body.data[0].id}`)).body.data
}

/** Starts a service that resolves the addresses above, before the tests of the calling file, and closes it after them. */
export const setUpService = (): void => setUpServiceWithRoles({ resolve })
