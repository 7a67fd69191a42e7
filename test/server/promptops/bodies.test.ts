import { describe, expect, it } from 'vitest'
import { createPrompt, post, put, server, setUpService, tokens } from './promptops-service.ts'

setUpService()

const auditOf = async (id: string): Promise<string[]> => {
  const { body } = await server.call(`GET /api/audit?resource_id=${id}&limit=200`)
  return body.data.map((entry: { action: string }) => entry.action).toReversed()
}

describe('bodies of PromptOps clients', () => {
  it('create a prompt from a key alone: an empty draft that nothing serves', async () => {
    const reply = await post('/api/prompts', { key: 'only.key' })
    expect(reply).toMatchObject({
      status: 201,
      body: { data: { key: 'only.key', name: 'only.key', version: null, has_draft: true, content: '' } },
    })
    expect((await server.call('GET /api/sdk/prompts/only.key?env=dev')).status).toBe(404)
  })

  it('name the text of an agent prompt', async () => {
    const reply = await post('/api/agents', { key: 'old/agent', prompt: 'Say {{what}}', provider: 'mock' })
    expect(reply).toMatchObject({
      status: 201,
      body: { data: { content: 'Say {{what}}', prompt_key: null } },
    })
    const { id } = reply.body.data
    const changed = await put(`/api/agents/${id}`, { prompt: 'Tell {{what}}' })
    expect(changed).toMatchObject({
      status: 200,
      body: { data: { content: 'Tell {{what}}', version: 'v2' } },
    })
    const both = await put(`/api/agents/${id}`, { prompt: 'One', content: 'Two' })
    expect(both).toMatchObject({ status: 422, body: { errors: [{ path: 'prompt' }] } })
  })

  it('store the label of POST as the message if it is not a version number', async () => {
    const messageOf = async (id: string) =>
      (await server.call(`GET /api/prompts/${id}/versions/v1`)).body.data.message
    const other = await createPrompt({ key: 'label/other', content: 'Hi', version: '2024-06' })
    expect(await messageOf(other.id)).toBe('2024-06')
    const same = await createPrompt({ key: 'label/same', content: 'Hi', version: 'v1' })
    expect(await messageOf(same.id)).toBe('')
  })

  it.each([
    ['an unknown environment', '/api/sdk/prompts/some.key?env=staging'],
    ['an unknown environment, for all prompts', '/api/sdk/prompts?env=staging'],
  ])('get 404 for %s', async (_name, path) => {
    expect(await server.call(`GET ${path}`)).toMatchObject({ status: 404, body: { code: 'not_found' } })
  })

  it('get 404 for a rollback to an unknown version, of prompts, agents and workflows', async () => {
    const prompt = await createPrompt({ key: 'roll/prompt', content: 'Hi' })
    const agent = (await post('/api/agents', { key: 'roll/agent', content: 'Hi' })).body.data
    const steps = [{ name: 'a', type: 'render', template: 'Hi' }]
    const workflow = (await post('/api/workflows', { key: 'roll/flow', steps })).body.data
    for (const version of ['v9', '2024-06', 9]) {
      for (const path of [`prompts/${prompt.id}`, `agents/${agent.id}`, `workflows/${workflow.id}`])
        expect(await post(`/api/${path}/rollback`, { version })).toMatchObject({
          status: 404,
          body: { code: 'not_found' },
        })
      expect(await post('/api/prompts/rollback', { id: prompt.id, version })).toMatchObject({ status: 404 })
    }
  })
})

describe('PUT of a prompt with another version', () => {
  it('saves and publishes in one transaction: one audit entry, one version, the label as its message', async () => {
    const { id } = await createPrompt({ key: 'serve/one', content: 'One', env: 'prod' })
    const reply = await put(`/api/prompts/${id}`, { name: 'New', content: 'Two', version: 'summer' })
    expect(reply).toMatchObject({
      status: 200,
      body: { data: { name: 'New', version: 'v2', has_draft: false, served: { content: 'Two' } } },
    })
    expect((await server.call(`GET /api/prompts/${id}/versions/v2`)).body.data).toMatchObject({
      kind: 'publish',
      message: 'summer',
    })
    expect(await auditOf(id)).toEqual(['create', 'publish'])
  })

  it('stores no message if the label equals the new version', async () => {
    const { id } = await createPrompt({ key: 'serve/two', content: 'One' })
    await put(`/api/prompts/${id}`, { content: 'Two', version: 'v2' })
    expect((await server.call(`GET /api/prompts/${id}/versions/v2`)).body.data.message).toBe('')
  })

  it('changes only the draft with the current version, and nothing when repeated', async () => {
    const { id } = await createPrompt({ key: 'serve/three', content: 'One' })
    const draft = await put(`/api/prompts/${id}`, { content: 'Two', version: 'v1' })
    expect(draft.body.data).toMatchObject({ version: 'v1', has_draft: true, served: { content: 'One' } })
    const served = await put(`/api/prompts/${id}`, { content: 'Two', version: 'v2' })
    expect(served.body.data).toMatchObject({ version: 'v2', has_draft: false })
    const again = await put(`/api/prompts/${id}`, { content: 'Two', version: 'v2' })
    expect(again.body.data).toMatchObject({ version: 'v2', etag: served.body.data.etag })
    const label = await put(`/api/prompts/${id}`, { content: 'Two', version: 'other' })
    expect(label.body.data).toMatchObject({ version: 'v2', etag: served.body.data.etag })
  })

  it('publishes the first version of a draft', async () => {
    const { id } = await createPrompt({ key: 'serve/first', content: 'One', draft: true })
    const reply = await put(`/api/prompts/${id}`, { content: 'One', version: 'v1' })
    expect(reply.body.data).toMatchObject({ version: 'v1', served: { content: 'One' } })
  })

  it('requires permission to publish in a protected environment', async () => {
    const safe = { name: 'Put safe', protected_envs: ['prod'] }
    const workspace_id = (await post('/api/workspaces', safe)).body.data.id
    const { id } = await createPrompt({ key: 'serve/safe', content: 'One', env: 'prod', workspace_id })
    const token = tokens['editor'] ?? ''
    const refused = await put(`/api/prompts/${id}`, { content: 'Two', version: 'v2' }, { token })
    expect(refused).toMatchObject({ status: 403, body: { code: 'auth.forbidden', required_role: 'admin' } })
    const after = (await server.call(`GET /api/prompts/${id}`)).body.data
    expect(after).toMatchObject({ version: 'v1', has_draft: false, content: 'One' })
    expect(await put(`/api/prompts/${id}`, { content: 'Two' }, { token })).toMatchObject({ status: 200 })
  })

  it('refuses to publish over the draft of another user without If-Match', async () => {
    const { id } = await createPrompt({ key: 'serve/other', content: 'One' })
    await server.call(`PATCH /api/prompts/${id}`, { body: { content: 'Theirs' } })
    const token = tokens['editor'] ?? ''
    // A change of fields that are not versioned does not change the owner of the draft.
    await server.call(`PATCH /api/prompts/${id}`, { body: { name: 'Mine' }, token })
    const body = { content: 'Two', version: 'v2' }
    const refused = await put(`/api/prompts/${id}`, body, { token })
    expect(refused).toMatchObject({ status: 412, body: { code: 'precondition.failed' } })
    expect(refused.body.detail).toContain('service-token')
    expect((await server.call(`GET /api/prompts/${id}`)).body.data.content).toBe('Theirs')
    const { etag } = (await server.call(`GET /api/prompts/${id}`)).body.data
    expect(await put(`/api/prompts/${id}`, body, { token, ifMatch: etag })).toMatchObject({
      status: 200,
      body: { data: { version: 'v2', content: 'Two' } },
    })
  })

  it("publishes over one's own draft", async () => {
    const { id } = await createPrompt({ key: 'serve/own', content: 'One' })
    const token = tokens['editor'] ?? ''
    await server.call(`PATCH /api/prompts/${id}`, { body: { model: 'gpt-4o' }, token })
    await server.call(`PATCH /api/prompts/${id}`, { body: { name: 'Renamed by an admin' } })
    const reply = await put(`/api/prompts/${id}`, { content: 'Two', version: 'v2' }, { token })
    expect(reply.body.data).toMatchObject({ version: 'v2', content: 'Two', model: 'gpt-4o' })
  })

  it('ignores the version in PATCH', async () => {
    const { id } = await createPrompt({ key: 'serve/patch', content: 'One' })
    const reply = await server.call(`PATCH /api/prompts/${id}`, { body: { content: 'Two', version: 'v7' } })
    expect(reply.body.data).toMatchObject({ version: 'v1', has_draft: true })
  })
})

describe('an object returned by GET', () => {
  const bodies: [string, object, object][] = [
    [
      'prompts',
      { key: 'back/prompt', content: 'Hi {{name}}', tags: ['a'], category: 'mail' },
      { name: 'New' },
    ],
    ['agents', { key: 'back/agent', content: 'Hi', params: { temperature: 0.5 } }, { name: 'New' }],
    ['agents', { key: 'back/follows', prompt_key: 'back/prompt' }, { name: 'New' }],
    [
      'workflows',
      {
        key: 'back/flow',
        steps: [
          { name: 'a', type: 'render', template: 'Hi {{name}}' },
          { name: 'b', type: 'model' },
        ],
      },
      { name: 'New' },
    ],
    ['workspaces', { name: 'Back', description: 'x' }, { name: 'New' }],
    ['users', { username: 'back', password: 'a phrase of back 1', role: 'viewer' }, { role: 'editor' }],
  ]
  it.each(bodies)('can be sent back by PUT: %s %o', async (noun, body, change) => {
    const { id } = (await post(`/api/${noun}`, body)).body.data
    const read = (await server.call(`GET /api/${noun}/${id}`)).body.data
    const same = await put(`/api/${noun}/${id}`, read)
    expect(same).toMatchObject({ status: 200, body: { data: read } })
    expect(await auditOf(id)).toEqual(['create'])
    const changed = await put(`/api/${noun}/${id}`, { ...read, ...change })
    expect(changed).toMatchObject({ status: 200, body: { data: { id, ...change } } })
  })

  it('still refuses an unknown field', async () => {
    const { id } = await createPrompt({ key: 'back/strict', content: 'Hi' })
    const read = (await server.call(`GET /api/prompts/${id}`)).body.data
    expect(await put(`/api/prompts/${id}`, { ...read, colour: 'red' })).toMatchObject({
      status: 422,
      body: { errors: [{ path: 'colour' }] },
    })
  })
})
