import { createHash } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startTestServer, type TestServer } from '../../support/service.ts'
import { inStoreOf } from '../../support/store.ts'
import { awaitDelivery, connectApp, promptFramesOf } from './prompts-support.ts'

let server: TestServer
beforeAll(async () => {
  server = await startTestServer()
})
afterAll(() => server.close())

const create = async (key: string, content: string | undefined, more: object = {}) => {
  const reply = await server.call('POST /api/prompts', { body: { key, env: 'prod', content, ...more } })
  return { status: reply.status, body: reply.body, id: reply.body.data?.id as string }
}
const served = (key: string, headers: Record<string, string> = {}) =>
  server.call(`GET /api/sdk/prompts/${encodeURIComponent(key)}`, { headers })
const publish = async (id: string, content: string) => {
  await server.call(`PATCH /api/prompts/${id}`, { body: { content } })
  return server.call(`POST /api/prompts/${id}/publish`, { body: {} })
}

test('an include is replaced by what is served, at every level, with its variables', async () => {
  await create('tone/base', 'Be {{mood}}.', { variables: [{ name: 'mood', default: 'kind' }] })
  await create('tone', 'Tone: {{> tone/base}}')
  await create('letter', 'Dear {{name}},\n{{> tone }}\n{{> tone/base@v1}} {{ > not}} {{>}}')
  const reply = await served('letter')
  expect(reply.body).toMatchObject({
    version: 'v1',
    content: 'Dear {{name}},\nTone: Be {{mood}}.\nBe {{mood}}. {{ > not}} {{>}}',
  })
  expect(reply.body.variables.map(({ name, default: value }: never) => [name, value])).toEqual([
    ['name', null],
    ['mood', 'kind'],
  ])
  const all = await server.call('GET /api/sdk/prompts?env=prod')
  const listed = all.body.data.find(({ key }: { key: string }) => key === 'letter')
  expect(listed).toEqual(reply.body)
})

test('publishing an included prompt changes the ETag of its includers and announces them', async () => {
  const { id: footer } = await create('mail/footer', 'Bye')
  const { id: middle } = await create('mail/middle', '{{> mail/footer}}!')
  const { id: mail } = await create('mail', 'Hi {{> mail/middle}}')
  const { id: pinned } = await create('mail/pinned', '{{> mail/footer@v1}}')
  const first = await served('mail')
  const etag = first.headers.get('etag') ?? ''
  expect((await served('mail', { 'if-none-match': etag })).status).toBe(304)
  const impact = await server.call(`GET /api/prompts/${footer}/impact`)
  expect(impact.body.data.included_by).toEqual(
    expect.arrayContaining([
      { id: middle, key: 'mail/middle' },
      { id: mail, key: 'mail' },
    ]),
  )
  expect(impact.body.data.included_by).toHaveLength(2)

  const app = await connectApp(server, 'client=node-sdk&namespace=prod&app=a')
  expect((await publish(footer, 'Goodbye')).status).toBe(200)
  await awaitDelivery(app)
  expect(promptFramesOf(app).toSorted()).toEqual([
    'prompt.published mail/footer v2',
    'prompt.updated mail v1',
    'prompt.updated mail/middle v1',
  ])
  app.socket.close()
  const second = await served('mail', { 'if-none-match': etag })
  expect(second.status).toBe(200)
  expect(second.body).toMatchObject({ version: 'v1', content: 'Hi Goodbye!' })
  expect((await served('mail/pinned')).body.content).toBe('Bye')
  const resolved = await server.call(`GET /api/prompts/${footer}/resolved?version=served`)
  expect(resolved.body.data.included_by).toEqual([
    { id: middle, key: 'mail/middle', version: null },
    { id: pinned, key: 'mail/pinned', version: 'v1' },
  ])
  expect((await server.call(`GET /api/prompts/${pinned}`)).body.data.content).toBe('{{> mail/footer@v1}}')
})

test('what cannot be resolved is refused when it would be served, and may be a draft', async () => {
  const codes = async (key: string, content: string) => {
    const { status, body } = await create(key, content)
    return [status, body.errors?.[0]?.path, body.errors?.[0]?.message]
  }
  expect(await codes('bad/missing', '{{> nowhere}}')).toEqual([
    422,
    'content',
    '{{> nowhere}} is not served in prod of this workspace',
  ])
  expect(await codes('bad/self', '{{> bad/self}}')).toMatchObject([
    422,
    'content',
    expect.stringContaining('again'),
  ])
  await create('chatty', undefined, { type: 'chat', messages: [{ role: 'user', content: 'Hi' }] })
  expect(await codes('bad/chat', '{{> chatty}}')).toMatchObject([
    422,
    'content',
    expect.stringContaining('only texts'),
  ])
  const { id: a } = await create('cycle/a', 'a')
  await create('cycle/b', 'b {{> cycle/a}}')
  expect((await publish(a, '{{> cycle/b}}')).body.errors[0].message).toMatch(/includes this prompt again/)
  expect((await served('cycle/b')).body.content).toBe('b a')

  const { id: draft } = await create('draft/ok', 'x {{> nowhere}}', { draft: true })
  const resolved = await server.call(`GET /api/prompts/${draft}/resolved`)
  expect(resolved.body.data).toMatchObject({
    version: 'draft',
    content: 'x {{> nowhere}}',
    included: [],
    problems: [{ include: '{{> nowhere}}' }],
  })
  const run = await server.call('POST /api/playground/run', { body: { id: draft, provider: 'mock' } })
  expect(run.status).toBe(422)
  const promoted = await server.call(
    `POST /api/prompts/${(await create('env/x', '{{> tone}}')).id}/promote`,
    {
      body: { env: 'test' },
    },
  )
  expect(promoted.body.errors[0].message).toBe('{{> tone}} is not served in test of this workspace')
})

test('an included prompt is not deleted while it is included', async () => {
  const { id: part } = await create('kept/part', 'part')
  const { id: whole } = await create('kept/whole', '{{> kept/part}}')
  const refused = await server.call(`DELETE /api/prompts/${part}`)
  expect(refused.body).toMatchObject({
    status: 409,
    code: 'prompt.included',
    detail: expect.stringContaining('kept/whole'),
  })
  await publish(whole, 'alone')
  expect((await server.call(`DELETE /api/prompts/${part}`)).status).toBe(200)
})

test('messages of a chat include texts, and old clients get the resolved text', async () => {
  await create('chat/rules', 'Answer in {{language}}.')
  const messages = [
    { role: 'system', content: '{{> chat/rules}}' },
    { placeholder: 'history' },
    { role: 'user', content: '{{question}}' },
  ]
  const { status } = await create('chat/support', undefined, { type: 'chat', messages })
  expect(status).toBe(201)
  const { body } = await served('chat/support')
  expect(body.messages[0]).toEqual({ role: 'system', content: 'Answer in {{language}}.' })
  expect(body.content.startsWith('system: Answer in {{language}}.\n\n')).toBe(true)
})

test('a run stores the hash of the resolved text', async () => {
  await create('hash/part', 'two')
  const { id } = await create('hash/whole', 'one {{> hash/part}} {{x}}')
  const run = await server.call('POST /api/playground/run', {
    body: { id, provider: 'mock', variables: { x: 'three' } },
  })
  expect(run.body.rendered).toBe('one two three')
  const detail = await server.call(`GET /api/runs/${run.body.run.id}`)
  expect(detail.body.data.prompt_hash).toBe(createHash('sha256').update('one two {{x}}').digest('hex'))
})

/** Makes the version of a prompt as an upgrade leaves it. A trigger forbids changes, so it is replaced. */
async function asBeforeIncludes(id: string): Promise<void> {
  await server.stop()
  await inStoreOf(server, async (q) => {
    const [row] = await q.selectFrom('prompt_versions').selectAll().where('prompt_id', '=', id).execute()
    if (row === undefined) throw new Error('The prompt has no version')
    await q.deleteFrom('prompt_versions').where('prompt_id', '=', id).execute()
    const before = { ...row, has_includes: 0 }
    await q.insertInto('prompt_versions').values(before).execute()
  })
  await server.restart()
}

test('`{{> …}}` in a version from before includes stays text until the text changes', async () => {
  await create('old/part', 'part')
  const { id } = await create('old/whole', 'old {{> old/part}}')
  await asBeforeIncludes(id)
  expect((await served('old/whole')).body.content).toBe('old {{> old/part}}')
  await server.call(`PATCH /api/prompts/${id}`, { body: { description: 'Only the description changes' } })
  expect((await server.call(`GET /api/prompts/${id}`)).body.data.has_draft).toBe(false)
  await publish(id, 'new {{> old/part}}')
  expect((await served('old/whole')).body.content).toBe('new part')
})

test('an include that occurs many times counts each time to the size of the text', async () => {
  // Without a limit, each level is 4,000 times as long as the one below.
  await create('many/a', 'abc')
  await create('many/b', '{{> many/a}}'.repeat(4000))
  const { id, status } = await create('many/c', '{{> many/b}}'.repeat(4000), { draft: true })
  expect(status).toBe(201)
  const resolved = await server.call(`GET /api/prompts/${id}/resolved`)
  expect(resolved.body.data.content.length).toBeLessThan(1_200_000)
  expect(resolved.body.data.problems).toEqual([
    { include: '{{> many/b}}', message: 'The included texts together are longer than 1,048,576 characters' },
  ])
  expect((await server.call(`POST /api/prompts/${id}/publish`, { body: {} })).status).toBe(422)
  expect((await served('many/b')).body.content).toBe('abc'.repeat(4000))
})

test('a text has at most 1,000 includes', async () => {
  const includes = Array.from({ length: 1001 }, (_, index) => `{{> none/${index}}}`).join(' ')
  const { id } = await create('count/whole', includes, { draft: true })
  const { problems } = (await server.call(`GET /api/prompts/${id}/resolved`)).body.data
  expect(problems.at(-1)).toEqual({
    include: '{{> none/1000}}',
    message: 'The text has more than 1000 includes, with those of included texts',
  })
})

test('a publish that would break an includer is refused', async () => {
  const { id } = await create('break/part', 'part')
  await create('break/whole', 'whole {{> break/part}}')
  await create('break/outer', '{{> break/whole}}')
  const toChat = { type: 'chat', messages: [{ role: 'user', content: 'Hi' }] }
  expect((await server.call(`PATCH /api/prompts/${id}`, { body: toChat })).status).toBe(200)
  const refused = await server.call(`POST /api/prompts/${id}/publish`, { body: {} })
  expect(refused.body.errors).toEqual([
    {
      path: 'messages',
      message:
        'break/whole includes this prompt and could not be served: {{> break/part}} is a chat prompt; only texts can be included',
    },
  ])
  // Nine levels below break/outer.
  await create('level/9', 'deep')
  for (let level = 8; level >= 1; level -= 1) await create(`level/${level}`, `{{> level/${level + 1}}}`)
  const tooDeep = await server.call(`PUT /api/prompts/${id}`, {
    body: { type: 'text', content: '{{> level/2}}', version: 'v2' },
  })
  expect(tooDeep.body.errors?.[0]?.message).toMatch(/^break\/(outer|whole) includes this prompt/)
  expect((await served('break/outer')).body.content).toBe('whole part')
})

test('a pinned version announces and protects what it includes', async () => {
  const { id: footer } = await create('pin/footer', 'Bye')
  const { id: part } = await create('pin/part', 'v1 {{> pin/footer}}')
  await create('pin/whole', 'Hi {{> pin/part@v1}}')
  await publish(part, 'v2 without')
  const etag = (await served('pin/whole')).headers.get('etag')
  const app = await connectApp(server, 'client=node-sdk&namespace=prod&app=pins')
  await publish(footer, 'Goodbye')
  await awaitDelivery(app)
  expect(promptFramesOf(app).toSorted()).toEqual([
    'prompt.published pin/footer v2',
    'prompt.updated pin/whole v1',
  ])
  app.socket.close()
  const after = await served('pin/whole')
  expect(after.body.content).toBe('Hi v1 Goodbye')
  expect(after.headers.get('etag')).not.toBe(etag)
  expect((await server.call(`DELETE /api/prompts/${footer}`)).body.detail).toContain('pin/whole')
})

test('an included prompt is not moved, and a move announces the includers at its new place', async () => {
  const workspace = (await server.call('POST /api/workspaces', { body: { name: 'Elsewhere' } })).body.data
  const { id: part } = await create('move/part', 'part')
  const { id: whole } = await create('move/whole', '{{> move/part}}')
  const move = (id: string) =>
    server.call(`PATCH /api/prompts/${id}`, { body: { workspace_id: workspace.id } })
  expect((await move(part)).body).toMatchObject({ status: 409, code: 'prompt.included' })
  // Its include stays text until the included prompt follows.
  expect((await move(whole)).status).toBe(200)
  const at = () => server.call(`GET /api/sdk/prompts/move%2Fwhole?workspace=${workspace.slug}`)
  expect((await at()).body.content).toBe('{{> move/part}}')
  const app = await connectApp(server, `client=node-sdk&namespace=prod&app=b&workspace=${workspace.slug}`)
  expect((await move(part)).status).toBe(200)
  await awaitDelivery(app)
  expect(promptFramesOf(app)).toEqual(['prompt.created move/part v1', 'prompt.updated move/whole v1'])
  app.socket.close()
  expect((await at()).body.content).toBe('part')
})

test('a text from before includes stays literal when it returns to a draft, by a change or an import', async () => {
  await create('back/part', 'part')
  const old = 'old {{> back/part}}'
  const { id } = await create('back/whole', old)
  await asBeforeIncludes(id)
  const content = async () => (await served('back/whole')).body.content
  await server.call(`PATCH /api/prompts/${id}`, { body: { content: 'another {{> back/part}}' } })
  await server.call(`PATCH /api/prompts/${id}`, { body: { content: old, description: 'again' } })
  expect((await server.call(`GET /api/prompts/${id}`)).body.data.has_draft).toBe(false)
  await server.call(`PATCH /api/prompts/${id}`, { body: { content: 'another' } })
  const imported = await server.call('POST /api/prompts/import', {
    body: {
      files: [
        {
          name: 'back.json',
          content: JSON.stringify([{ key: 'back/whole', env: 'prod', content: old, version: 'v1' }]),
        },
      ],
      publish: true,
    },
  })
  expect(imported.body.data.items, imported.text).toMatchObject([{ outcome: 'update' }])
  expect(await content()).toBe(old)
  await publish(id, 'new')
  await server.call(`POST /api/prompts/${id}/rollback`, { body: { version: 'v1' } })
  expect(await content()).toBe(old)
  await server.call(`POST /api/prompts/${id}/promote`, { body: { env: 'test' } })
  const promoted = await server.call('GET /api/sdk/prompts/back%2Fwhole?env=test')
  expect(promoted.body.content).toBe(old)
})

test('an import publishes included prompts first, and names the item that cannot be resolved', async () => {
  const importing = (prompts: object[]) =>
    server.call('POST /api/prompts/import', {
      body: { files: [{ name: 'all.json', content: JSON.stringify(prompts) }], publish: true },
    })
  const item = (key: string, content: string) => ({ key, env: 'prod', content, version: 'v1' })
  const imported = await importing([
    item('order/a', 'a {{> order/b}} {{> order/c@v1}}'),
    item('order/b', 'b {{> order/c}}'),
    item('order/c', 'c'),
  ])
  expect(imported.status, imported.text).toBe(200)
  expect(imported.body.data.items.map(({ key }: { key: string }) => key)).toEqual([
    'order/a',
    'order/b',
    'order/c',
  ])
  expect((await served('order/a')).body.content).toBe('a b c c')
  expect(imported.body.data.items[0].id).toBe((await served('order/a')).body.etag.slice(1, 37))

  const refused = await importing([item('order/d', 'd'), item('order/e', 'e {{> order/f}}')])
  expect(refused).toMatchObject({
    status: 422,
    body: {
      errors: [
        {
          path: 'files.0.1.content',
          message: 'order/e in all.json: {{> order/f}} is not served in prod of this workspace',
        },
      ],
    },
  })
  expect((await served('order/d')).status).toBe(404)
})

test('a prompt whose include was deleted meanwhile is restored only after it', async () => {
  const { id: part } = await create('trash/part', 'part')
  const { id: whole } = await create('trash/whole', '{{> trash/part}}')
  await server.call(`DELETE /api/prompts/${whole}`)
  await server.call(`DELETE /api/prompts/${part}`)
  const restore = (id: string) => server.call(`POST /api/prompts/${id}/restore`)
  expect((await restore(whole)).body.detail).toBe(
    'content: {{> trash/part}} is not served in prod of this workspace',
  )
  expect((await served('trash/whole')).status).toBe(404)
  await restore(part)
  expect((await restore(whole)).status).toBe(200)
  expect((await served('trash/whole')).body.content).toBe('part')
})
