import { expect } from 'vitest'
import type { Answer, TestServer } from '../../support/service.ts'
import type { Member, Role } from './access-support.ts'

type Item = { readonly id: string; workspace: string; isDeleted: boolean }

/** The naive model: who is in which workspace with which role, and which items each workspace has. */
export type Model = {
  readonly server: TestServer
  readonly workspaces: readonly string[]
  readonly members: readonly Member[]
  readonly random: () => number
  /** Roles by workspace, for each member. */
  readonly memberships: Map<string, Role>[]
  readonly prompts: Item[]
  readonly alerts: Item[]
  readonly runs: { readonly id: number; readonly workspace: string }[]
}

/** Makes one request of a member, and compares the reply with the model. */
type Operation = (model: Model, who: number) => Promise<void>

const roles: readonly Role[] = ['viewer', 'editor', 'admin']

const pick = <T>({ random }: Model, list: readonly T[]): T => list[Math.floor(random() * list.length)] as T
const roleOf = ({ memberships }: Model, who: number, workspace: string): Role | undefined =>
  memberships[who]?.get(workspace)
const mayWrite = (model: Model, who: number, workspace: string): boolean =>
  ['editor', 'admin'].includes(roleOf(model, who, workspace) ?? '')
const listOf = ({ memberships }: Model, who: number): string[] => [...(memberships[who]?.keys() ?? [])]
const visible = <T extends { readonly workspace: string }>(
  model: Model,
  who: number,
  items: readonly T[],
): T[] => items.filter(({ workspace }) => roleOf(model, who, workspace) !== undefined)

const call = ({ server, members }: Model, who: number, what: string, body?: object): Promise<Answer> =>
  server.call(what, { token: members[who]?.token ?? '', ...(body !== undefined && { body }) })

const mayWriteSomewhere = (model: Model, who: number): boolean =>
  model.workspaces.some((workspace) => mayWrite(model, who, workspace))

/** Returns the status of a request that writes to a workspace; null if it may be done. */
function refusalIn(model: Model, who: number, workspace: string): number | null {
  if (!mayWriteSomewhere(model, who)) return 403
  if (roleOf(model, who, workspace) === undefined) return 422
  return mayWrite(model, who, workspace) ? null : 403
}

/** Returns the status of a request that changes an item; null if it may be done. */
function refusalOf(model: Model, who: number, { workspace, isDeleted }: Item): number | null {
  const refusal = refusalIn(model, who, workspace)
  if (refusal === 422 || (isDeleted && mayWriteSomewhere(model, who))) return 404
  return refusal
}

const changeMemberships: Operation = async (model, who) => {
  const { server, workspaces, members, random } = model
  const memberships = workspaces
    .filter(() => random() < 0.4)
    .map((workspace_id) => ({ workspace_id, role: pick(model, roles) }))
  const reply = await server.call(`PATCH /api/users/${members[who]?.id}`, { body: { memberships } })
  expect(reply.status, reply.text).toBe(200)
  model.memberships[who] = new Map(memberships.map(({ workspace_id, role }) => [workspace_id, role]))
}

const createPrompt: Operation = async (model, who) => {
  const workspace = pick(model, model.workspaces)
  const body = { workspace_id: workspace, key: `k${model.prompts.length}`, env: 'dev', content: 'x' }
  const reply = await call(model, who, 'POST /api/prompts', body)
  expect(reply.status, reply.text).toBe(refusalIn(model, who, workspace) ?? 201)
  if (reply.status === 201) model.prompts.push({ id: reply.body.data.id, workspace, isDeleted: false })
}

const readPrompt: Operation = async (model, who) => {
  if (model.prompts.length === 0) return
  const { id, workspace, isDeleted } = pick(model, model.prompts)
  const isFound = roleOf(model, who, workspace) !== undefined && !isDeleted
  expect((await call(model, who, `GET /api/prompts/${id}`)).status).toBe(isFound ? 200 : 404)
}

const movePrompt: Operation = async (model, who) => {
  if (model.prompts.length === 0) return
  const item = pick(model, model.prompts)
  const target = pick(model, model.workspaces)
  const { status } = await call(model, who, `PATCH /api/prompts/${item.id}`, { workspace_id: target })
  expect(status).toBe(refusalOf(model, who, item) ?? refusalIn(model, who, target) ?? 200)
  if (status === 200) item.workspace = target
}

const deletePrompt: Operation = async (model, who) => {
  if (model.prompts.length === 0) return
  const item = pick(model, model.prompts)
  const { status } = await call(model, who, `DELETE /api/prompts/${item.id}`)
  expect(status).toBe(refusalOf(model, who, item) ?? 200)
  if (status === 200) item.isDeleted = true
}

const countPrompts: Operation = async (model, who) => {
  const workspace = model.random() < 0.5 ? pick(model, model.workspaces) : null
  const filter = workspace === null ? '' : `&workspace=${workspace}`
  const { body } = await call(model, who, `GET /api/prompts?limit=20&fields=summary${filter}`)
  const expected = visible(model, who, model.prompts).filter(
    (item) => !item.isDeleted && (workspace === null || item.workspace === workspace),
  )
  expect(body.total).toBe(expected.length)
  const ids = new Set(expected.map(({ id }) => id))
  for (const { id } of body.data) expect(ids).toContain(id)
}

const search: Operation = async (model, who) => {
  const { body } = await call(model, who, 'GET /api/search?q=k')
  const allowed = listOf(model, who)
  for (const { kind, workspace_id } of body.data)
    if (kind === 'prompt') expect(allowed).toContain(workspace_id)
}

const reportRun: Operation = async (model, who) => {
  const workspace = pick(model, model.workspaces)
  const run = { workspace_id: workspace, provider: 'mock', model: 'm', latency_ms: 1, status: 'ok' }
  const reply = await call(model, who, 'POST /api/runs', run)
  expect(reply.status, reply.text).toBe(roleOf(model, who, workspace) === undefined ? 422 : 201)
  if (reply.status === 201) model.runs.push({ id: reply.body.data.id, workspace })
}

const readRun: Operation = async (model, who) => {
  if (model.runs.length === 0) return
  const { id, workspace } = pick(model, model.runs)
  const expected = roleOf(model, who, workspace) === undefined ? 404 : 200
  expect((await call(model, who, `GET /api/runs/${id}`)).status).toBe(expected)
}

const countRuns: Operation = async (model, who) => {
  const { body } = await call(model, who, 'GET /api/runs?limit=1')
  expect(body.total).toBe(visible(model, who, model.runs).length)
}

const statistics: Operation = async (model, who) => {
  const { body } = await call(model, who, 'GET /api/runs/stats?group_by=workspace')
  const runs = visible(model, who, model.runs)
  const counts: Record<string, number> = {}
  for (const { workspace } of runs) counts[workspace] = (counts[workspace] ?? 0) + 1
  expect(body.data.total).toBe(runs.length)
  const groups: { readonly workspace: string; readonly count: number }[] = body.data.groups
  expect(Object.fromEntries(groups.map(({ workspace, count }) => [workspace, count]))).toEqual(counts)
}

/** The service allows 100 alerts. */
const maxAlerts = 90

const createAlert: Operation = async (model, who) => {
  if (model.alerts.length >= maxAlerts) return
  const workspace = pick(model, model.workspaces)
  const body = { name: 'a', workspace, kind: 'cost', period_minutes: 60, threshold: 1 }
  const reply = await call(model, who, 'POST /api/alerts', body)
  expect(reply.status, reply.text).toBe(refusalIn(model, who, workspace) ?? 201)
  if (reply.status === 201) model.alerts.push({ id: reply.body.data.id, workspace, isDeleted: false })
}

const countAlerts: Operation = async (model, who) => {
  const { body } = await call(model, who, 'GET /api/alerts?limit=1')
  expect(body.total).toBe(visible(model, who, model.alerts).length)
}

const listWorkspaces: Operation = async (model, who) => {
  const { body } = await call(model, who, 'GET /api/workspaces?limit=200')
  const ids = body.data.map(({ id }: Item) => id)
  expect({ total: body.total, ids: ids.toSorted() }).toEqual({
    total: ids.length,
    ids: listOf(model, who).toSorted(),
  })
}

const audit: Operation = async (model, who) => {
  const { body } = await call(model, who, 'GET /api/audit?limit=20')
  const allowed = listOf(model, who)
  for (const { workspace_id, actor_id, resource_id } of body.data)
    if (workspace_id === null) expect([actor_id, resource_id]).toContain(model.members[who]?.id)
    else expect(allowed).toContain(workspace_id)
}

/** Every operation with its weight. */
export const operations: readonly (readonly [name: string, weight: number, operation: Operation])[] = [
  ['changeMemberships', 3, changeMemberships],
  ['createPrompt', 3, createPrompt],
  ['readPrompt', 32, readPrompt],
  ['movePrompt', 3, movePrompt],
  ['deletePrompt', 1, deletePrompt],
  ['countPrompts', 4, countPrompts],
  ['search', 2, search],
  ['reportRun', 2, reportRun],
  ['readRun', 30, readRun],
  ['countRuns', 6, countRuns],
  ['statistics', 1, statistics],
  ['createAlert', 1, createAlert],
  ['countAlerts', 4, countAlerts],
  ['listWorkspaces', 4, listWorkspaces],
  ['audit', 1, audit],
]
