import { describe, expect, it } from 'vitest'
import { server, setUpService } from '../file-service.ts'

let admin: string
setUpService(async () => {
  admin = (await server.signedIn('admin', 'chief')).token
})

const call = (what: string, body?: object) =>
  server.call(what, { token: admin, ...(body !== undefined && { body }) })
const total = async (noun: string) => (await call(`GET /api/${noun}?limit=1`)).body.total
const totals = () => Promise.all(['workspaces', 'prompts', 'agents', 'workflows'].map(total))
const actions = async () =>
  (await call('GET /api/audit?actor=chief&limit=200')).body.data.map(
    ({ action, resource }: { action: string; resource: string }) => `${action} ${resource}`,
  )

describe('the sample data', () => {
  it('is made by the services, audited, and can be run', async () => {
    const before = await totals()
    expect((await call('GET /api/sample-data')).body.data).toEqual({
      present: false,
      workspace_id: null,
      items: 0,
      runs: 0,
    })
    const created = await call('POST /api/sample-data')
    expect(created.status).toBe(201)
    expect(created.body.data).toMatchObject({ present: true, items: 9 })
    const [workspaces, prompts, agents, workflows] = await totals()
    expect([workspaces, prompts, agents, workflows]).toEqual([(before[0] ?? 0) + 1, 6, 1, 1])
    const audited = await actions()
    for (const entry of [
      'create workspace',
      'create prompt',
      'publish prompt',
      'create agent',
      'create workflow',
    ])
      expect(audited).toContain(entry)
    expect((await call('GET /api/sdk/prompts/sample%2Fgreeting?workspace=sample-data')).body).toMatchObject({
      version: 'v1',
      content: expect.stringContaining('at most two sentences'),
    })
    const [workflow] = (await call('GET /api/workflows')).body.data
    const run = await call(`POST /api/workflows/${workflow.id}/run`, { variables: { ticket: 'It is down' } })
    expect(run.body).toMatchObject({ status: 'ok' })
    // A second request changes nothing.
    expect((await call('POST /api/sample-data')).body).toEqual(created.body)
    expect((await totals())[1]).toBe(6)
  })

  it('is removed completely, with copies and changed items, but without the content of others', async () => {
    const { workspace_id } = (await call('GET /api/sample-data')).body.data
    const prompts = (await call('GET /api/prompts?q=greeting&env=dev')).body.data
    await call(`POST /api/prompts/${prompts[0].id}/promote`, { env: 'test' })
    const own = await call('POST /api/prompts', { key: 'own', env: 'dev', content: 'Mine', workspace_id })
    // The key is that of a sample prompt, but the agent is not a sample.
    const ownAgent = await call('POST /api/agents', {
      key: 'sample/greeting',
      content: 'Mine',
      provider: 'mock',
      workspace_id,
    })
    expect(ownAgent.status).toBe(201)
    const [summary] = (await call('GET /api/prompts?q=summary&env=dev')).body.data
    await call(`DELETE /api/prompts/${summary.id}`)
    await server.restart()
    expect((await call('GET /api/sample-data')).body.data).toMatchObject({ present: true })
    expect((await call('DELETE /api/sample-data')).body.data).toEqual({
      present: false,
      workspace_id: null,
      items: 0,
      runs: 0,
    })
    expect(await totals()).toEqual([1, 1, 1, 0])
    expect((await call(`GET /api/agents/${ownAgent.body.data.id}`)).body.data.workspace_id).toBe('default')
    expect((await call(`GET /api/prompts/${own.body.data.id}`)).body.data).toMatchObject({
      workspace_id: 'default',
    })
    // Nothing can be restored from the trash.
    for (const { id } of [prompts[0], summary])
      expect((await call(`POST /api/prompts/${id}/restore`)).status).toBe(404)
    expect(await actions()).toContain('delete workspace')
    expect((await call('GET /api/audit/verify')).body.data.ok).toBe(true)
    // It can be created again, with the same keys.
    expect((await call('POST /api/sample-data')).body.data.items).toBe(9)
    await call('DELETE /api/sample-data')
    expect((await call('GET /api/sample-data')).body.data.present).toBe(false)
  })

  it('has runs of a week, which are removed exactly: from lists, statistics, sessions and search', async () => {
    await call('PATCH /api/settings', { capture: 'full' })
    const stats = async () => {
      const { total, error, by_provider, group } = (
        await call('GET /api/runs/stats?group_by=app,env&from=2000-01-01T00:00:00.000Z')
      ).body.data
      const { total: all, cost_usd } = (await call('GET /api/runs/stats')).body.data
      return { total, error, by_provider, group, all, cost_usd }
    }
    const found = async (text: string) =>
      (await call(`GET /api/runs?content=${encodeURIComponent(text)}`)).body.total
    const listed = async () => (await call('GET /api/runs?limit=1')).body.total
    const before = { stats: await stats(), listed: await listed() }
    const { runs, workspace_id } = (await call('POST /api/sample-data')).body.data
    expect(runs).toBeGreaterThan(400)
    expect(await listed()).toBe(before.listed + runs)
    expect((await stats()).all).toBe(before.stats.all + runs)
    const rows: Record<string, string>[] = []
    for (let cursor: string | null = ''; cursor !== null; ) {
      const page = await call(`GET /api/runs?workspace=${workspace_id}&limit=200&cursor=${cursor}`)
      rows.push(...page.body.data)
      cursor = page.body.next_cursor
    }
    expect(rows).toHaveLength(runs)
    const distinct = (field: string) => new Set(rows.map((row) => row[field])).size
    expect(['model', 'env', 'status', 'app', 'ref_key'].map(distinct)).toEqual([5, 3, 2, 3, 3])
    const ages = rows.map(({ created_at: at }) => (Date.now() - Date.parse(String(at))) / 86_400_000)
    expect(Math.max(...ages)).toBeGreaterThan(5)
    expect(Math.max(...ages)).toBeLessThan(7)
    expect(Math.min(...ages)).toBeGreaterThan(0)
    expect((await call('GET /api/sessions')).body.total).toBe(40)
    // A search waits a short time only for the index of new texts.
    await expect.poll(() => found('parcel')).toBeGreaterThan(10)

    // A run of an app in the same workspace is not sample data.
    const own = {
      provider: 'mock',
      model: 'mine',
      latency_ms: 5,
      status: 'ok',
      app: 'helpdesk',
      workspace_id,
    }
    const { id } = (await call('POST /api/runs', { ...own, input: 'my parcel', client_run_id: 'sample' }))
      .body.data
    expect((await call('DELETE /api/sample-data')).body.data.runs).toBe(0)
    expect(await listed()).toBe(before.listed + 1)
    expect((await call(`GET /api/runs/${id}`)).status).toBe(200)
    expect((await call('GET /api/sessions')).body.total).toBe(0)
    await expect.poll(() => found('parcel')).toBe(1)
    expect((await stats()).all).toBe(before.stats.all + 1)
    expect((await call('GET /api/runs/stats?session_id=sample-conversation-1')).body.data.total).toBe(0)
    // Also after the roll-ups were read from disk again.
    await server.restart()
    const after = await stats()
    expect(after).toMatchObject({ all: before.stats.all + 1, error: before.stats.error })
    expect(after.cost_usd).toBeCloseTo(before.stats.cost_usd, 9)
    const deletions = (await call('GET /api/audit?resource=run&action=delete')).body.data
    expect(deletions.map(({ summary }: { summary: string }) => summary)).toEqual([
      `Deleted ${runs} sample runs`,
      expect.stringMatching(/^Deleted \d+ sample runs$/),
      expect.stringMatching(/^Deleted \d+ sample runs$/),
    ])
    expect((await call('GET /api/audit/verify')).body.data.ok).toBe(true)
  })

  it('fits into a short retention, and has no content if nothing is captured', async () => {
    await call('PATCH /api/settings', { capture: 'off', run_retention_days: 1 })
    const { runs, workspace_id } = (await call('POST /api/sample-data')).body.data
    expect(runs).toBeGreaterThan(400)
    const [newest] = (await call(`GET /api/runs?workspace=${workspace_id}&limit=1`)).body.data
    const run = (await call(`GET /api/runs/${newest.id}`)).body.data
    expect(run).toMatchObject({ input: null, output: null, reported: true })
    expect((await call('DELETE /api/sample-data')).body.data).toMatchObject({ present: false, runs: 0 })
  })
})
