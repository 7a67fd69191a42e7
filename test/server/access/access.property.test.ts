import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startTestServer, type TestServer } from '../../support/service.ts'
import { createMember, type Member, openPeer, type Role } from './access-support.ts'
import type { Peer } from '../live/live-support.ts'

const steps = 10_000
const workspaceCount = 6
const memberCount = 4
const roles: readonly Role[] = ['viewer', 'editor', 'admin']

/** A generator of numbers in [0, 1) from a seed (mulberry32). */
function createRandom(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let t = Math.imul(state ^ (state >>> 15), 1 | state)
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32
  }
}

type Item = { readonly id: string; workspace: string; isDeleted: boolean }

/** The naive model: who is in which workspace with which role, and which items and runs each workspace has. */
type Model = {
  readonly memberships: Map<string, Role>[]
  readonly prompts: Item[]
  readonly alerts: Item[]
  readonly runs: { readonly id: number; readonly workspace: string }[]
  readonly clients: Peer[]
}

let server: TestServer
const workspaces: string[] = []
const members: Member[] = []

beforeAll(async () => {
  server = await startTestServer()
  for (let index = 0; index < workspaceCount; index += 1)
    workspaces.push((await server.call('POST /api/workspaces', { body: { name: `w${index}` } })).body.data.id)
  for (let index = 0; index < memberCount; index += 1)
    members.push(await createMember(server, `member${index}`, []))
})
afterAll(() => server.close())

describe('access with random memberships', () => {
  it(`agrees with a naive model over ${steps} steps`, { timeout: 120_000 }, async () => {
    const seed = Number(process.env['ACCESS_SEED'] ?? Date.now() % 2 ** 31)
    const random = createRandom(seed)
    const pick = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)] as T
    const model: Model = {
      memberships: members.map(() => new Map()),
      prompts: [],
      alerts: [],
      runs: [],
      clients: [],
    }
    let keys = 0
    const roleOf = (who: number, workspace: string): Role | undefined => model.memberships[who]?.get(workspace)
    const mayWrite = (who: number, workspace: string): boolean => ['editor', 'admin'].includes(roleOf(who, workspace) ?? '')
    const isWriterAnywhere = (who: number): boolean => workspaces.some((workspace) => mayWrite(who, workspace))
    const call = (who: number, what: string, body?: object) =>
      server.call(what, { token: members[who]?.token ?? '', ...(body !== undefined && { body }) })
    const visible = <T extends { readonly workspace: string }>(who: number, items: readonly T[]): T[] =>
      items.filter(({ workspace }) => roleOf(who, workspace) !== undefined)
    const existing = () => model.prompts.filter(({ isDeleted }) => !isDeleted)

    const operations: Record<string, (who: number) => Promise<void>> = {
      async changeMemberships(who) {
        const chosen = workspaces.filter(() => random() < 0.4).map((workspace_id) => ({ workspace_id, role: pick(roles) }))
        const reply = await server.call(`PATCH /api/users/${members[who]?.id}`, { body: { memberships: chosen } })
        expect(reply.status, reply.text).toBe(200)
        model.memberships[who] = new Map(chosen.map(({ workspace_id, role }) => [workspace_id, role]))
      },
      async createPrompt(who) {
        const workspace_id = pick(workspaces)
        keys += 1
        const reply = await call(who, 'POST /api/prompts', { workspace_id, key: `k${keys}`, env: 'dev', content: 'x' })
        const role = roleOf(who, workspace_id)
        if (mayWrite(who, workspace_id)) {
          expect(reply.status, reply.text).toBe(201)
          model.prompts.push({ id: reply.body.data.id, workspace: workspace_id, isDeleted: false })
        } else if (!isWriterAnywhere(who) || role !== undefined) expect(reply.status).toBe(403)
        else expect(reply.status).toBe(422)
      },
      async readPrompt(who) {
        if (model.prompts.length === 0) return
        const item = pick(model.prompts)
        const { status } = await call(who, `GET /api/prompts/${item.id}`)
        expect(status).toBe(roleOf(who, item.workspace) !== undefined && !item.isDeleted ? 200 : 404)
      },
      async movePrompt(who) {
        if (model.prompts.length === 0) return
        const item = pick(model.prompts)
        const target = pick(workspaces)
        const { status } = await call(who, `PATCH /api/prompts/${item.id}`, { workspace_id: target })
        if (!isWriterAnywhere(who)) expect(status).toBe(403)
        else if (item.isDeleted || roleOf(who, item.workspace) === undefined) expect(status).toBe(404)
        else if (!mayWrite(who, item.workspace)) expect(status).toBe(403)
        else if (roleOf(who, target) === undefined) expect(status).toBe(422)
        else if (!mayWrite(who, target)) expect(status).toBe(403)
        else {
          expect(status).toBe(200)
          item.workspace = target
        }
      },
      async deletePrompt(who) {
        if (model.prompts.length === 0) return
        const item = pick(model.prompts)
        const { status } = await call(who, `DELETE /api/prompts/${item.id}`)
        if (!isWriterAnywhere(who)) expect(status).toBe(403)
        else if (item.isDeleted || roleOf(who, item.workspace) === undefined) expect(status).toBe(404)
        else if (!mayWrite(who, item.workspace)) expect(status).toBe(403)
        else {
          expect(status).toBe(200)
          item.isDeleted = true
        }
      },
      async countPrompts(who) {
        const workspace = random() < 0.5 ? pick(workspaces) : null
        const { body } = await call(who, `GET /api/prompts?limit=200${workspace === null ? '' : `&workspace=${workspace}`}`)
        const expected = visible(who, existing()).filter((item) => workspace === null || item.workspace === workspace)
        expect(body.total).toBe(expected.length)
        if (expected.length <= 200)
          expect(body.data.map(({ id }: Item) => id).toSorted()).toEqual(expected.map(({ id }) => id).toSorted())
      },
      async search(who) {
        const { body } = await call(who, 'GET /api/search?q=k')
        const allowed = new Set(model.memberships[who]?.keys())
        for (const { kind, workspace_id } of body.data) if (kind === 'prompt') expect(allowed).toContain(workspace_id)
      },
      async reportRun(who) {
        const workspace_id = pick(workspaces)
        const run = { workspace_id, provider: 'mock', model: 'm', latency_ms: 1, status: 'ok' }
        const reply = await call(who, 'POST /api/runs', run)
        if (roleOf(who, workspace_id) === undefined) expect(reply.status).toBe(422)
        else {
          expect(reply.status, reply.text).toBe(201)
          model.runs.push({ id: reply.body.data.id, workspace: workspace_id })
        }
      },
      async readRun(who) {
        if (model.runs.length === 0) return
        const run = pick(model.runs)
        const { status } = await call(who, `GET /api/runs/${run.id}`)
        expect(status).toBe(roleOf(who, run.workspace) === undefined ? 404 : 200)
      },
      async countRuns(who) {
        const expected = visible(who, model.runs).length
        expect((await call(who, 'GET /api/runs?limit=1')).body.total).toBe(expected)
      },
      async statistics(who) {
        const { body } = await call(who, 'GET /api/runs/stats?group_by=workspace')
        const counts: Record<string, number> = {}
        for (const { workspace } of visible(who, model.runs)) counts[workspace] = (counts[workspace] ?? 0) + 1
        expect(body.data.total).toBe(visible(who, model.runs).length)
        const groups = body.data.groups.map((group: { workspace: string; count: number }) => [
          group.workspace,
          group.count,
        ])
        expect(Object.fromEntries(groups)).toEqual(counts)
      },
      async createAlert(who) {
        if (model.alerts.length >= 90) return
        const workspace = pick(workspaces)
        const body = { name: 'a', workspace, kind: 'cost', period_minutes: 60, threshold: 1 }
        const reply = await call(who, 'POST /api/alerts', body)
        if (mayWrite(who, workspace)) {
          expect(reply.status, reply.text).toBe(201)
          model.alerts.push({ id: reply.body.data.id, workspace, isDeleted: false })
        } else expect([403, 422]).toContain(reply.status)
      },
      async countAlerts(who) {
        expect((await call(who, 'GET /api/alerts?limit=1')).body.total).toBe(visible(who, model.alerts).length)
      },
      async countWorkspaces(who) {
        const { body } = await call(who, 'GET /api/workspaces?limit=200')
        expect(body.total).toBe(model.memberships[who]?.size)
        const expected = [...(model.memberships[who]?.keys() ?? [])].toSorted()
        expect(body.data.map(({ id }: Item) => id).toSorted()).toEqual(expected)
      },
      async audit(who) {
        const { body } = await call(who, 'GET /api/audit?limit=20')
        const allowed = new Set(model.memberships[who]?.keys())
        for (const { workspace_id, actor_id, resource_id } of body.data)
          if (workspace_id === null) expect([actor_id, resource_id]).toContain(members[who]?.id)
          else expect(allowed).toContain(workspace_id)
      },
    }
    const weights: readonly (readonly [string, number])[] = [
      ['changeMemberships', 8],
      ['createPrompt', 8],
      ['readPrompt', 18],
      ['movePrompt', 6],
      ['deletePrompt', 3],
      ['countPrompts', 8],
      ['search', 5],
      ['reportRun', 8],
      ['readRun', 14],
      ['countRuns', 6],
      ['statistics', 3],
      ['createAlert', 1],
      ['countAlerts', 4],
      ['countWorkspaces', 5],
      ['audit', 3],
    ]
    const names = weights.flatMap(([name, weight]) => Array<string>(weight).fill(name))
    const done: Record<string, number> = {}
    for (let step = 0; step < steps; step += 1) {
      const name = pick(names)
      const who = Math.floor(random() * memberCount)
      try {
        await operations[name]?.(who)
      } catch (error) {
        throw new Error(`ACCESS_SEED=${seed}, step ${step}: ${name} by member${who}`, { cause: error })
      }
      done[name] = (done[name] ?? 0) + 1
    }
    // Every operation took part, so that the agreement says something.
    expect(Object.keys(done).toSorted()).toEqual(Object.keys(operations).toSorted())
  })
})
