import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Watcher, watch } from '../../support/scenario.ts'
import { startTestServer, type TestServer } from '../../support/service.ts'

describe('the content of a workspace', () => {
  let seeded: TestServer
  let seededWatcher: Watcher
  let id: string
  const post = async (what: string, body: object) =>
    (await seeded.call(`POST /api/${what}`, { body })).body.data

  beforeAll(async () => {
    seeded = await startTestServer()
    id = (await post('workspaces', { name: 'Blue' })).id
    await post('workspaces', { name: 'Empty' })
    const long = 'k'.repeat(200)
    const add = (what: string, workspace_id: string, keys: readonly string[], more: object = {}) =>
      Promise.all(keys.map((key) => post(what, { key, content: 'x', workspace_id, ...more })))
    await add('prompts', 'default', ['greet', 'taken', 'taken-blue', long], { env: 'prod' })
    await add('prompts', id, ['alone', 'greet', 'taken', 'greet-blue', long], { env: 'prod' })
    await add('prompts', id, ['greet'], { env: 'dev' })
    await add('agents', 'default', ['helper'])
    await add('agents', id, ['helper', 'other'])
    const steps = [{ name: 'a', type: 'render', template: 'x' }]
    await post('workflows', { key: 'flow', workspace_id: id, steps })
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
    const { data } = (await seeded.call('GET /api/prompts?limit=200')).body
    const rows: { key: string; env: string; workspace_id: string }[] = data
    expect(rows).toHaveLength(10)
    expect(rows.every((row) => row.workspace_id === 'default')).toBe(true)
    expect(rows.flatMap(({ key, env }) => (key === 'greet' ? env : [])).toSorted()).toEqual(['dev', 'prod'])
  })

  it('refers to the same items as before, under their new keys', async () => {
    const workspace_id = 'empty'
    for (const text of [{ content: 'Of default' }, { content: 'Of the workspace', workspace_id }]) {
      await post('prompts', { key: 'hello', env: 'prod', ...text })
      await post('agents', { key: 'bot', ...text })
    }
    const prompted = await post('agents', { key: 'prompted', prompt_key: 'hello', workspace_id })
    const step = (name: string, agent_key = 'bot') => ({ name, type: 'agent', agent_key })
    const steps = [
      { name: 'b', type: 'condition', when: 'no', else: [step('c')] },
      { name: 'd', type: 'parallel', steps: [step('e', 'prompted'), step('f')] },
    ]
    const flow = await post('workflows', { key: 'calls', workspace_id, steps })
    const welcome = { key: 'welcome', env: 'prod', content: '{{> hello}}', workspace_id }
    const { id: includer } = await post('prompts', welcome)
    const refused = await seeded.call('DELETE /api/workspaces/empty')
    expect(refused).toMatchObject({ status: 409, body: { code: 'prompt.included' } })
    await seeded.call(`DELETE /api/prompts/${includer}`)
    expect((await seeded.call('DELETE /api/workspaces/empty')).status).toBe(200)

    expect((await seeded.call(`GET /api/agents/${prompted.id}`)).body.data).toMatchObject({
      prompt_key: 'hello-empty',
      version: 'v2',
    })
    expect((await seeded.call('GET /api/agents?prompt_key=hello-empty')).body.total).toBe(1)
    const { text } = await seeded.call(`POST /api/workflows/${flow.id}/run`, { body: {} })
    expect(text).toContain('Of the workspace')
    expect(text).not.toContain('Of default')
    const moved = await seeded.call(`GET /api/audit?resource=workflow&resource_id=${flow.id}`)
    expect(moved.body.data[0].summary).toBe('Moved the workflow calls from empty to default, now v2')
  })
})
