import { afterAll, beforeAll, expect } from 'vitest'
import { startTestServer, type TestServer } from '../../support/service.ts'
import { type Connected, connect } from './mcp-support.ts'

export let server: TestServer

/** The official client, connected with the service token. */
export let admin: Connected

/** The id of `billing/greet` in prod of `default`, which is served as v2 and has a draft. */
export let greetId: string

/** Sends a POST request that succeeds and returns its data. */
export const post = async (path: string, body: object) => {
  const reply = await server.call(`POST ${path}`, { body })
  expect(reply.status, reply.text).toBeLessThan(300)
  return reply.body.data
}

/** Returns the names of the prompts that a client may read. */
export const names = async ({ client }: Connected) =>
  (await client.listPrompts()).prompts.map(({ name }) => name)

/** Restarts the service and connects the client again. */
export async function restart(): Promise<void> {
  await admin.client.close()
  await server.restart()
  admin = await connect(server)
}

/** Starts a service with prompts before the tests of the calling file and closes it after them. */
export function setUpService(): void {
  beforeAll(async () => {
    server = await startTestServer()
    await post('/api/workspaces', { name: 'Hidden', slug: 'hidden', capture: 'off' })
    const variables = [
      { name: 'who', required: true, description: 'The person' },
      { name: 'tone', default: 'kind' },
    ]
    const greet = { key: 'billing/greet', env: 'prod', content: 'Hello {{who}}', variables }
    greetId = (await post('/api/prompts', greet)).id
    await server.call(`PATCH /api/prompts/${greetId}`, { body: { content: 'Hello {{who}}, {{tone}}' } })
    await post(`/api/prompts/${greetId}/publish`, {})
    await server.call(`PATCH /api/prompts/${greetId}`, { body: { content: 'a draft' } })
    const messages = [
      { role: 'system', content: 'Be {{tone}}' },
      { placeholder: 'history' },
      { role: 'assistant', content: 'Ready' },
      { role: 'user', content: '{{question}}' },
    ]
    await post('/api/prompts', { key: 'chat', env: 'dev', messages })
    await post('/api/prompts', { key: 'secret', env: 'prod', content: 'hidden text', workspace_id: 'hidden' })
    await post('/api/prompts', { key: 'unpublished', env: 'prod', content: 'x', draft: true })
    admin = await connect(server)
  })
  afterAll(async () => {
    await admin.client.close()
    await server.close()
  })
}
