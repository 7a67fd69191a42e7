import { hash } from 'node:crypto'
import { expect, test } from 'vitest'
import { awaitDelivery, connectApp, promptFramesOf } from '../prompts-support.ts'
import { create, publish, served, server, setUpService } from './includes-support.ts'

setUpService()

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
  expect(detail.body.data.prompt_hash).toBe(hash('sha256', 'one two {{x}}', 'hex'))
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

test('a page of all prompts ends at about 4 MiB, and the next one continues', async () => {
  await create('pages/large', 'x'.repeat(200_000))
  for (let n = 0; n < 7; n += 1) await create(`pages/of-${n}`, '{{> pages/large}}'.repeat(5))
  const found: string[] = []
  let pages = 0
  for (let cursor: string | null = ''; cursor !== null; pages += 1) {
    const { text, body } = await server.call(`GET /api/sdk/prompts?env=prod&cursor=${cursor}`)
    expect(text.length).toBeLessThan(6 * 1024 * 1024)
    found.push(...body.data.map(({ key }: { key: string }) => key))
    cursor = body.next_cursor
  }
  expect(pages).toBeGreaterThan(1)
  expect(found.filter((key) => key.startsWith('pages/'))).toHaveLength(8)
  expect(found).toEqual([...new Set(found)].sort())
})
