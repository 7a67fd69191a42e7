import { expect, vi } from 'vitest'
import { type Answer, serviceToken, type TestServer } from '../../support/service.ts'
import { connect, type Peer } from '../live/live-support.ts'

export type Role = 'viewer' | 'editor' | 'admin'

/** A workspace with one of everything. Its name, and every text in it, contains `marker`. */
export type Fixture = {
  readonly id: string
  readonly slug: string
  readonly marker: string
  /** Ids of its items by the noun in their path. */
  readonly ids: Readonly<Record<string, string>>
  /** The app that is connected to it. */
  readonly client: Peer
}

const created = async (answer: Promise<Answer>): Promise<ReturnType<typeof JSON.parse>> => {
  const { status, text, body } = await answer
  if (status !== 200 && status !== 201) throw new Error(`answered ${status}: ${text}`)
  return body
}

const socketUrl = (server: TestServer, query: string): string =>
  `${server.url.replace('http', 'ws')}/ws?${query}`

/** Opens a live connection and waits for its hello. */
export async function openPeer(server: TestServer, token: string, query: string): Promise<Peer> {
  const peer = await connect(socketUrl(server, query), { authorization: `Bearer ${token}` })
  expect((await peer.next()).type).toBe('hello')
  return peer
}

/** Creates a workspace with one of everything, as an admin. */
export async function createFixture(server: TestServer, marker: string): Promise<Fixture> {
  const post = async (path: string, body: object) => created(server.call(`POST ${path}`, { body }))
  const { id, slug } = (await post('/api/workspaces', { name: marker, capture: 'full' })).data
  const place = { workspace_id: id }
  const prompt = await post('/api/prompts', { ...place, key: marker, env: 'prod', content: `hi ${marker}` })
  const deleted = await post('/api/prompts', { ...place, key: `${marker}/old`, env: 'dev', content: marker })
  await server.call(`DELETE /api/prompts/${deleted.data.id}`)
  const agent = await post('/api/agents', { ...place, key: marker, provider: 'mock', content: marker })
  const steps = [{ name: 'one', type: 'render', template: marker }]
  const workflow = await post('/api/workflows', { ...place, key: marker, steps })
  const execution = await post(`/api/workflows/${workflow.data.id}/run`, {})
  const failed = { provider: 'mock', model: marker, latency_ms: 5, status: 'error', error: marker }
  const run = await post('/api/runs', {
    ...place,
    ...failed,
    ref_key: marker,
    app: marker,
    session_id: marker,
    input: marker,
    output: marker,
    created_at: new Date(Date.now() - 1000).toISOString(),
  })
  const view = await post('/api/views', { ...place, name: marker, page: 'runs', query: '', shared: true })
  const condition = { kind: 'error_rate', period_minutes: 60, threshold: 0, min_runs: 1 }
  const alert = await post('/api/alerts', { name: marker, workspace: id, ...condition })
  const client = await openPeer(server, serviceToken, `namespace=prod&app=${marker}&workspace=${slug}`)
  client.send({ type: 'subscribe', keys: [marker] })
  const eventsPath = `/api/alerts/events?alert=${alert.data.id}`
  await vi.waitUntil(async () => (await server.call(`GET ${eventsPath}`)).body.total === 1, {
    timeout: 10_000,
  })
  const event = (await server.call(`GET ${eventsPath}`)).body.data[0]
  const clients = (await server.call(`GET /api/clients?app=${marker}`)).body.data
  const audit = (await server.call(`GET /api/audit?workspace=${id}&limit=1`)).body.data[0]
  return {
    id,
    slug,
    marker,
    client,
    ids: {
      workspaces: id,
      prompts: prompt.data.id,
      deleted: deleted.data.id,
      agents: agent.data.id,
      workflows: workflow.data.id,
      'workflow-runs': execution.id,
      runs: String(run.data.id),
      sessions: marker,
      views: view.data.id,
      alerts: alert.data.id,
      events: event.id,
      clients: clients[0].id,
      audit: String(audit.id),
    },
  }
}

export type Member = { readonly id: string; readonly token: string; readonly username: string }

/** Creates a user with access to listed workspaces and signs in. */
export async function createMember(
  server: TestServer,
  username: string,
  memberships: readonly { workspace_id: string; role: Role }[],
): Promise<Member> {
  const password = `a phrase of ${username} 1`
  const body = { username, password, role: 'viewer', access: 'listed', memberships }
  const { data } = await created(server.call('POST /api/users', { body }))
  return { id: data.id, username, token: await server.login(username, password) }
}

/** Every text that must not reach a caller who may not see the workspace. */
const secretsOf = ({ id, slug, marker, ids }: Fixture): string[] => [
  ...new Set([
    id,
    slug,
    marker,
    ...Object.entries(ids).flatMap(([noun, each]) => (isNumber(each) ? [] : [noun && each])),
  ]),
]

const isNumber = (text: string): boolean => /^\d+$/.test(text)

/** Checks that a text contains nothing of a workspace. */
export function expectNothingOf(fixture: Fixture, text: string, message: string): void {
  for (const secret of secretsOf(fixture))
    expect(text.includes(secret), `${message} contains ${secret}`).toBe(false)
}
