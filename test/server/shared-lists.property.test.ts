import fc from 'fast-check'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { startTestServer, type TestServer } from '../support/service.ts'
import { createMember } from './access/access-support.ts'
import type { Peer } from './live/live-support.ts'
import { connectApp } from './prompts/prompts-support.ts'

let server: TestServer
/** A user of one workspace only. */
let member: string
let workspaceId: string
beforeAll(async () => {
  server = await startTestServer()
  workspaceId = (await created('POST /api/workspaces', { name: 'Sales' })).id
  member = (await createMember(server, 'member', [{ workspace_id: workspaceId, role: 'viewer' }])).token
})
afterAll(() => server.close())

async function created(what: string, body: object): Promise<{ readonly id: string }> {
  const reply = await server.call(what, { body })
  expect(reply.status, reply.text).toBe(201)
  return reply.body.data
}

const lists = ['/api/audit', '/api/users', '/api/prompts', '/api/prompts?fields=summary'] as const
/** More than the rows of any list here. */
const wholeList = 150
/** A limit that no request had before: its reply is not shared, and has the same rows. */
let fresh = wholeList

async function read(list: string, limit: number, token: string | undefined) {
  const path = `${list}${list.includes('?') ? '&' : '?'}limit=${limit}`
  const { status, body } = await server.call(`GET ${path}`, token === undefined ? {} : { token })
  return { status, body: status === 200 ? body : null }
}

type Step = () => Promise<unknown>
const promptIds: string[] = []
const clients: Peer[] = []
let names = 0

const steps: Readonly<Record<string, Step>> = {
  addUser: () =>
    created('POST /api/users', {
      username: `reader-${++names}`,
      password: 'a phrase that nobody guesses',
      role: 'viewer',
    }),
  addPrompt: async () => {
    const place = names % 2 === 0 ? { workspace_id: workspaceId } : {}
    const body = { ...place, key: `key-${++names}`, env: 'prod', content: 'One' }
    promptIds.push((await created('POST /api/prompts', body)).id)
  },
  editPrompt: async () => {
    const [id] = promptIds
    if (id !== undefined) await server.call(`PATCH /api/prompts/${id}`, { body: { content: `${++names}` } })
  },
  failSignIn: () =>
    server.call('POST /api/login', { token: null, body: { username: `nobody-${++names}`, password: 'no' } }),
  connectClient: async () => {
    const client = await connectApp(server, 'namespace=prod&app=a')
    client.send({ type: 'subscribe', keys: ['key-1', 'key-2', 'key-3'] })
    // The reply shows that the service knows the keys.
    client.send({ type: 'ping' })
    expect(await client.next()).toMatchObject({ type: 'pong' })
    clients.push(client)
  },
  disconnectClient: async () => {
    clients.pop()?.socket.close()
    await expect
      .poll(async () => (await server.call('GET /api/clients')).body.data.length)
      .toBe(clients.length)
  },
}

it('a shared list equals one that is read for the request, whatever changes in between', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.constantFrom(...Object.keys(steps)), { minLength: 3, maxLength: 6 }),
      async (taken) => {
        for (const name of taken) {
          await steps[name]?.()
          fresh += 1
          for (const list of lists)
            for (const token of [undefined, member]) {
              const shared = [await read(list, wholeList, token), await read(list, wholeList, token)]
              const expected = await read(list, fresh, token)
              expect(shared).toEqual([expected, expected])
            }
        }
      },
    ),
    { numRuns: 5 },
  )
})
