import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Watcher, watch } from '../../support/scenario.ts'
import { startTestServer, type TestServer } from '../../support/service.ts'
import { inStoreOf } from '../../support/store.ts'

describe('the content of a workspace', () => {
  let seeded: TestServer
  let seededWatcher: Watcher
  let id: string
  const times = { created_at: 1, updated_at: 1 }

  beforeAll(async () => {
    seeded = await startTestServer()
    id = (await seeded.call('POST /api/workspaces', { body: { name: 'Blue' } })).body.data.id
    await seeded.call('POST /api/workspaces', { body: { name: 'Empty' } })
    await seeded.stop()
    await inStoreOf(seeded, async (q) => {
      const prompt = (workspace_id: string, key: string, env: 'dev' | 'prod' = 'prod') => ({
        id: `${workspace_id}/${key}/${env}`,
        workspace_id,
        key,
        env,
        folder: '',
        name: key,
        name_folded: key,
        description: '',
        category: null,
        tags: '[]',
        version: 0,
        has_draft: 1,
        revision: 1,
        published_at: null,
        created_by: 'edda',
        updated_by: 'edda',
        deleted_at: null,
        ...times,
      })
      for (const row of [
        prompt('default', 'greet'),
        prompt('default', 'taken'),
        prompt('default', 'taken-blue'),
        prompt('default', 'k'.repeat(200)),
        prompt(id, 'alone'),
        prompt(id, 'greet'),
        prompt(id, 'greet', 'dev'),
        prompt(id, 'taken'),
        prompt(id, 'greet-blue'),
        prompt(id, 'k'.repeat(200)),
      ]) {
        await q.insertInto('prompts').values(row).execute()
        const draft = { prompt_id: row.id, content: 'x', model: null, variables: '[]', has_includes: 0 }
        await q.insertInto('prompt_drafts').values(draft).execute()
      }
      const agent = (workspace_id: string, key: string) => ({
        id: `${workspace_id}/${key}`,
        workspace_id,
        key,
        name: key,
        name_folded: key,
        description: '',
        version: 1,
        revision: 1,
        created_by: 'system',
        updated_by: 'system',
        ...times,
      })
      const agentFields = { provider: 'mock', prompt_key: null }
      for (const row of [agent('default', 'helper'), agent(id, 'helper'), agent(id, 'other')]) {
        await q
          .insertInto('agents')
          .values({ ...row, ...agentFields })
          .execute()
      }
      await q.insertInto('workflows').values(agent(id, 'flow')).execute()
    })
    await seeded.restart()
    seededWatcher = await watch(seeded)
  })
  afterAll(async () => {
    await seededWatcher.close()
    await seeded.close()
  })

  it('is counted', async () => {
    const blue = await seeded.call('GET /api/workspaces/blue')
    expect(blue.body.data).toMatchObject({ prompt_count: 6, agent_count: 2, workflow_count: 1 })
    const list = await seeded.call('GET /api/workspaces?sort=created_at')
    const counts = list.body.data.map((row: Record<string, unknown>) => [
      row['slug'],
      row['prompt_count'],
      row['agent_count'],
    ])
    expect(counts).toEqual([
      ['default', 4, 1],
      ['blue', 6, 2],
      ['empty', 0, 0],
    ])
  })

  it('is moved to default on deletion, and a used key gets a suffix', async () => {
    const { result, audit } = await seededWatcher.during(() => seeded.call('DELETE /api/workspaces/blue'))
    expect(result.body).toEqual({
      ok: true,
      moved: {
        prompts: 6,
        agents: 2,
        workflows: 1,
        renamed: [
          { from: 'greet', to: 'greet-blue-2' },
          { from: 'k'.repeat(200), to: `${'k'.repeat(195)}-blue` },
          { from: 'taken', to: 'taken-blue-2' },
          { from: 'helper', to: 'helper-blue' },
        ],
      },
    })
    expect(audit).toEqual([
      'service-token update prompt alone',
      'service-token update prompt greet',
      'service-token update prompt greet-blue',
      'service-token update prompt greet-blue-2',
      `service-token update prompt ${'k'.repeat(195)}-blue`,
      'service-token update prompt taken-blue-2',
      'service-token update agent other',
      'service-token update agent helper-blue',
      'service-token update workflow flow',
      'service-token delete workspace blue',
    ])
    const target = await seeded.call('GET /api/workspaces/default')
    expect(target.body.data).toMatchObject({ prompt_count: 10, agent_count: 3, workflow_count: 1 })
    const moved = await seeded.call('GET /api/audit?resource=prompt&key=greet-blue-2')
    const detail = await seeded.call(`GET /api/audit/${moved.body.data[0].id}`)
    expect(detail.body.data).toMatchObject({
      summary: 'Moved the prompt greet from blue to default as greet-blue-2',
      before: { workspace_id: id, key: 'greet' },
      after: { workspace_id: 'default', key: 'greet-blue-2' },
    })
  })

  it('is in exactly one workspace afterwards', async () => {
    await seededWatcher.close()
    await seeded.stop()
    await inStoreOf(seeded, async (q) => {
      const rows = await q.selectFrom('prompts').select(['workspace_id', 'key', 'env']).execute()
      expect(rows).toHaveLength(10)
      expect(rows.every((row) => row.workspace_id === 'default')).toBe(true)
      expect(
        rows
          .filter((row) => row.key === 'greet')
          .map((row) => row.env)
          .toSorted(),
      ).toEqual(['dev', 'prod'])
    })
    await seeded.restart()
    seededWatcher = await watch(seeded)
  })
})
