import { describe, expect, it } from 'vitest'
import { admin, names, post, server, setUpService } from './mcp-service.ts'
import { callTool, connect, createToken, failTool } from './mcp-support.ts'

setUpService()

describe('the rights of the token', () => {
  it('limit a viewer to reading and running', async () => {
    const { token } = await createToken(server, { role: 'viewer' })
    const { client } = await connect(server, { token })
    const offered = (await client.listTools()).tools.map(({ name }) => name)
    expect(offered).toContain('run_prompt')
    expect(offered).not.toContain('create_draft')
    expect(await failTool(client, 'create_draft', { key: 'no', content: 'x' })).toContain('auth.forbidden')
    await client.close()
  })

  it('limit a member to the workspaces of its list', async () => {
    const { token } = await createToken(server, {
      access: 'listed',
      memberships: [{ workspace_id: 'default', role: 'editor' }],
    })
    const member = await connect(server, { token })
    expect(await names(member)).toEqual(['default/dev/chat', 'default/prod/billing/greet'])
    await expect(member.client.getPrompt({ name: 'hidden/prod/secret' })).rejects.toThrow()
    const found = await callTool(member.client, 'search_prompts', { workspace: 'hidden' })
    expect(found.data).toEqual([])
    expect(
      await failTool(member.client, 'create_draft', { key: 'no', content: 'x', workspace: 'hidden' }),
    ).toContain('Workspace not found')
    await member.client.close()
  })

  it('limit the token of an app to the prompts of its place', async () => {
    const { token } = await createToken(server, { workspace: 'default', namespaces: ['prod'] })
    const app = await connect(server, { token })
    expect(await names(app)).toEqual(['billing/greet'])
    expect((await app.client.listTools()).tools).toEqual([])
    expect(await failTool(app.client, 'search_runs')).toContain('auth.forbidden')
    const { resources } = await app.client.listResources()
    const [resource] = resources
    expect((await app.client.readResource({ uri: resource?.uri ?? '' })).contents).toHaveLength(1)
    const { run } = await callTool(admin.client, 'run_prompt', { content: 'hi', provider: 'mock' })
    await expect(app.client.readResource({ uri: `promptdeck://run/${run.id}` })).rejects.toThrow()
    await app.client.close()
  })
})

describe('notifications', () => {
  it('announce publish, roll-back and deletion of prompts that the token may read, and nothing else', async () => {
    const { token } = await createToken(server, { workspace: 'default', namespaces: ['test'] })
    const app = await connect(server, { token })
    // The first one comes with the stream, because an earlier change may be unknown.
    await app.changedSince(0)
    const during = async (work: () => Promise<unknown>): Promise<void> => {
      const before = app.changes()
      await work()
      await app.changedSince(before)
    }
    let id = ''
    await during(async () => {
      id = (await post('/api/prompts', { key: 'news', env: 'test', content: 'one' })).id
    })
    expect(await names(app)).toEqual(['news'])
    await server.call(`PATCH /api/prompts/${id}`, { body: { content: 'two' } })
    const quiet = app.changes()
    await post('/api/prompts', { key: 'news', env: 'prod', content: 'elsewhere' })
    await post('/api/prompts', { key: 'news', env: 'test', content: 'elsewhere', workspace_id: 'hidden' })
    await during(() => post(`/api/prompts/${id}/publish`, {}))
    expect(app.changes()).toBe(quiet + 1)
    await during(() => post(`/api/prompts/${id}/rollback`, { version: 'v1' }))
    await during(() => server.call(`DELETE /api/prompts/${id}`))
    expect(await names(app)).toEqual([])
    await app.client.close()
  })
})
