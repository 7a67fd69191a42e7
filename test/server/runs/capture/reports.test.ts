import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { CaptureMode } from '../../../../contract/models/models.ts'
import { isOnPostgres } from '../../../support/postgres/databases.ts'
import { type Scenario, type Watcher, watch } from '../../../support/scenario.ts'
import { detailOf, editor, filesWith, server, setUpService } from './capture-support.ts'

setUpService()

describe('reports of apps', () => {
  it.each<[CaptureMode | null, unknown, string | null]>([
    ['off', null, null],
    ['redacted', { q: 'token [token]' }, 'Bearer [token]'],
    ['full', { q: 'token ghp_abcdefghijklmnopqrstuv' }, 'Bearer abcdefghijklmnop'],
    [null, { q: 'token ghp_abcdefghijklmnopqrstuv' }, 'Bearer abcdefghijklmnop'],
  ])('are captured according to the workspace: %s', async (mode, input, output) => {
    await server.call('PATCH /api/settings', { body: { capture: 'full' } })
    await server.call('POST /api/workspaces', { body: { name: 'Apps', slug: 'apps' } })
    await server.call('PATCH /api/workspaces/apps', { body: { capture: mode } })
    const reply = await server.call('POST /api/runs', {
      body: {
        provider: 'openai',
        model: 'gpt-4o',
        latency_ms: 1,
        status: 'ok',
        workspace_id: 'apps',
        input: { q: 'token ghp_abcdefghijklmnopqrstuv' },
        output: 'Bearer abcdefghijklmnop',
      },
    })
    const detail = await detailOf(reply.body.data.id)
    expect([detail.input, detail.output]).toEqual([input, output])
  })
})

describe('permission to change the capture of a workspace', () => {
  let watcher: Watcher
  beforeAll(async () => {
    watcher = await watch(server)
  })
  afterAll(() => watcher.close())

  it.each<Scenario>([
    {
      name: 'an admin may change it',
      call: 'PATCH /api/workspaces/apps',
      body: { capture: 'off' },
      status: 200,
      reply: { data: { capture: 'off' } },
      audit: ['service-token update workspace apps'],
      frames: ['workspace', 'audit'],
    },
    {
      name: 'an editor may not change it',
      call: 'PATCH /api/workspaces/apps',
      body: { capture: 'full' },
      token: () => editor.token,
      status: 403,
      reply: { code: 'auth.forbidden', required_role: 'admin' },
    },
    {
      name: 'an editor may send the current value',
      call: 'PATCH /api/workspaces/apps',
      body: { capture: 'off', description: 'Apps' },
      token: () => editor.token,
      status: 200,
      audit: ['finn update workspace apps'],
      frames: ['workspace', 'audit'],
    },
    {
      name: 'an editor may not set it in a new workspace',
      call: 'POST /api/workspaces',
      body: { name: 'Mine', capture: 'full' },
      token: () => editor.token,
      status: 403,
    },
    {
      name: 'an unknown mode is rejected',
      call: 'PATCH /api/workspaces/apps',
      body: { capture: 'some' },
      status: 422,
      fields: ['capture'],
    },
    {
      name: 'an invalid retention of payloads is rejected',
      call: 'PATCH /api/settings',
      body: { payload_retention_days: 91 },
      status: 422,
      fields: ['payload_retention_days'],
    },
    {
      name: 'an invalid size of payloads is rejected',
      call: 'PATCH /api/settings',
      body: { payload_max_mb: 15 },
      status: 422,
      fields: ['payload_max_mb'],
    },
    {
      name: 'retention and size, each with an audit entry',
      call: 'PATCH /api/settings',
      body: { payload_retention_days: 3, payload_max_mb: 64 },
      status: 200,
      reply: { data: { payload_retention_days: 3, payload_max_mb: 64 } },
      audit: [
        'service-token setting_change setting payload_retention_days',
        'service-token setting_change setting payload_max_mb',
      ],
      frames: ['setting', 'audit', 'setting', 'audit'],
    },
  ])('$name', (scenario) => watcher.run(scenario))
})

describe('capture of reported runs', () => {
  const report = {
    provider: 'openai',
    model: 'gpt-4o',
    latency_ms: 12,
    status: 'ok',
    input: {
      messages: [{ role: 'user', content: 'Dear Dorothea Brooke, your key is sk-ant-0123456789abcdef0123' }],
      tools: [{ name: 'order', arguments: { to: ['DOROTHEA BROOKE'] } }],
    },
    output: 'Good morning, Dorothea Brooke of Middlemarch',
  }
  const values = { customer: { name: 'Dorothea Brooke', town: 'Middlemarch' } }

  it('is redacted like that of other runs, and reported values are stored nowhere', async () => {
    await server.call('PATCH /api/workspaces/default', { body: { capture: 'redacted' } })
    const reply = await server.call('POST /api/runs', { body: { ...report, variables: values } })
    expect(reply.status).toBe(201)
    const { input, output, variables } = await detailOf(reply.body.data.id)
    expect(input).toEqual({
      messages: [{ role: 'user', content: 'Dear {{customer.name}}, your key is [api key]' }],
      tools: [{ name: 'order', arguments: { to: ['{{customer.name}}'] } }],
    })
    expect(output).toBe('Good morning, {{customer.name}} of {{customer.town}}')
    expect(variables).toEqual(['customer'])
    await server.restart()
    expect(await filesWith('Middlemarch')).toEqual([])
    expect(await filesWith('Dorothea')).toEqual([])
  })

  it('accepts names of variables without values, and refuses invalid names', async () => {
    const named = await server.call('POST /api/runs', { body: { ...report, variables: ['customer.name'] } })
    expect((await detailOf(named.body.data.id)).variables).toEqual(['customer.name'])
    const refused = await server.call('POST /api/runs', {
      body: { ...report, variables: { 'not a name': 1 } },
    })
    expect(refused.status).toBe(422)
    const many = Object.fromEntries(Array.from({ length: 201 }, (_, n) => [`v${n}`, n]))
    expect((await server.call('POST /api/runs', { body: { ...report, variables: many } })).status).toBe(422)
  })

  // A database has its payloads and runs together.
  it.skipIf(isOnPostgres)(
    'never returns the payload of another run, even after the folder was lost',
    async () => {
      await server.call('PATCH /api/workspaces/default', { body: { capture: 'full' } })
      const post = async (text: string) =>
        (await server.call('POST /api/runs', { body: { ...report, input: text, output: null } })).body.data.id
      await server.stop()
      await rm(join(server.dataDir, 'payloads'), { recursive: true })
      await server.restart()
      const first = await post('the first')
      expect((await detailOf(first)).input).toBe('the first')
      await server.stop()
      await rm(join(server.dataDir, 'payloads'), { recursive: true })
      await server.restart()
      // As long as the first: its line is at the position that the first row references.
      const second = await post('a  second')
      expect((await detailOf(second)).input).toBe('a  second')
      expect((await detailOf(first)).input).toBeNull()
      await rm(join(server.dataDir, 'payloads'), { recursive: true })
      const third = await post('the third')
      expect((await detailOf(third)).input).toBe('the third')
      expect((await detailOf(second)).input).toBeNull()
    },
  )

  it('stores each payload with its run in batches with repeated and uncaptured runs', async () => {
    await server.call('PATCH /api/workspaces/default', { body: { capture: 'full' } })
    const reportOf = (n: number, id: number) => ({
      ...report,
      input: `text ${n}`,
      output: null,
      client_run_id: `batch-${id}`,
    })
    const batches = [
      [reportOf(1, 1), reportOf(2, 2), { ...report, input: null, output: null }, reportOf(3, 3)],
      [reportOf(4, 2), reportOf(5, 4), reportOf(6, 4), reportOf(7, 5)],
    ]
    const replies = await Promise.all(batches.map((body) => server.call('POST /api/runs', { body })))
    const ids = replies.map(({ body }) => body.data.map(({ id }: { id: number }) => id))
    expect(new Set(ids.flat()).size).toBe(6)
    const texts = await Promise.all(
      ids.map((batch) => Promise.all(batch.map(async (id: number) => (await detailOf(id)).input))),
    )
    expect(texts).toEqual([
      ['text 1', 'text 2', null, 'text 3'],
      ['text 2', 'text 5', 'text 5', 'text 7'],
    ])
  })
})
