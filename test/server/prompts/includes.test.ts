import { createHash } from 'node:crypto'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openDb } from '../../../server/db/engines/sqljs/open.ts'
import { startTestServer, type TestServer } from '../../support/service.ts'
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
  const quiet = () => {}
  const { db } = await openDb({
    folder: join(server.dataDir, 'store'),
    maxStoreBytes: 1024 ** 3,
    logger: { info: quiet, warn: quiet, error: quiet },
  })
  await db.write(async ({ q }) => {
    const [row] = await q.selectFrom('prompt_versions').selectAll().where('prompt_id', '=', id).execute()
    if (row === undefined) throw new Error('The prompt has no version')
    await q.deleteFrom('prompt_versions').where('prompt_id', '=', id).execute()
    const before = { ...row, has_includes: 0 }
    await q.insertInto('prompt_versions').values(before).execute()
  })
  await db.close()
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
