import { describe, expect, it } from 'vitest'
import { server, setUpService } from '../file-service.ts'
import { act, awaitDelivery, connectApp, edit, fetchServed, makePrompt } from '../prompts/prompts-support.ts'

setUpService()

const decomposed = 'Ru\u0308ckgabe/erste Antwort'
const composed = 'Rückgabe/erste Antwort'
const long = '返金'.repeat(100)
const keys = [
  composed,
  '返金/最初の返信',
  'طلب/رد أول',
  '👩\u200d🚀/🧪 test',
  'a?b#c&d=e%2F+ "quoted" <b>',
  'back\\slash/{{x}}',
  'c:colon;semi,comma',
  long,
]

describe('a key of any printable Unicode', () => {
  it.each(keys)('is stored and served unchanged: %s', async (key) => {
    const prompt = await makePrompt(server, { key, content: `Hi ${key}`, env: 'prod' })
    expect(prompt).toMatchObject({ key, folder: key.slice(0, Math.max(0, key.lastIndexOf('/'))) })
    expect((await fetchServed(server, key)).body).toMatchObject({ key, content: `Hi ${key}` })
    const listed = await server.call(`GET /api/prompts?key=${encodeURIComponent(key)}`)
    expect(listed.body.data.map((row: { key: string }) => row.key)).toEqual([key])
    const audit = await server.call(`GET /api/audit?key=${encodeURIComponent(key)}`)
    expect(audit.body.data).toMatchObject([{ action: 'create', key }])
  })

  it('is the same key in both normalization forms', async () => {
    const taken = await server.call('POST /api/prompts', {
      body: { key: decomposed, content: 'x', env: 'prod' },
    })
    expect(taken).toMatchObject({ status: 409, body: { code: 'prompt.key_taken' } })
    expect((await fetchServed(server, decomposed)).body.key).toBe(composed)
    for (const query of [
      `key=${encodeURIComponent(decomposed)}`,
      `folder=${encodeURIComponent('Ru\u0308ckgabe')}`,
    ])
      expect((await server.call(`GET /api/prompts?${query}`)).body.data).toMatchObject([{ key: composed }])
  })

  it('is found by its words', async () => {
    const { body } = await server.call(`GET /api/prompts?q=${encodeURIComponent('rückgabe antw')}`)
    expect(body.data).toMatchObject([{ key: composed }])
  })

  it('occurs once in the pages of a list, in a fixed order', async () => {
    const seen: string[] = []
    let cursor = ''
    do {
      const { body } = await server.call(`GET /api/prompts?limit=3&sort=key${cursor}`)
      seen.push(...body.data.map((row: { key: string }) => row.key))
      cursor = body.next_cursor === null ? '' : `&cursor=${body.next_cursor}`
    } while (cursor !== '')
    expect(seen.toSorted()).toEqual([...keys].toSorted())
  })

  it('is announced and acknowledged unchanged', async () => {
    const key = '返金/最初の返信'
    const [{ id }] = (await server.call(`GET /api/prompts?key=${encodeURIComponent(key)}`)).body.data
    const peer = await connectApp(server, 'client=node-sdk&app=unicode&namespace=prod')
    await edit(server, id, { content: 'Next' })
    await act(server, id, 'publish')
    const frame = await peer.next()
    expect(frame).toMatchObject({ type: 'prompt.published', key, version: 'v2' })
    peer.send({ type: 'ack', seq: frame.seq, key: decomposed, version: 'v1' })
    peer.send({ type: 'ack', seq: frame.seq, key, version: 'v2' })
    await awaitDelivery(peer)
    const { body } = await server.call('GET /api/clients?app=unicode')
    expect(body.data[0].acked).toMatchObject([
      { key: composed, version: 'v1' },
      { key, version: 'v2' },
    ])
    expect((await server.call(`GET /api/prompts/${id}/convergence`)).body.data).toMatchObject({ current: 1 })
    peer.socket.terminate()
  })

  it('names agents and workflows, and the prompt an agent runs', async () => {
    const agent = await server.call('POST /api/agents', { body: { key: '代理/一', prompt_key: decomposed } })
    expect(agent).toMatchObject({ status: 201, body: { data: { key: '代理/一', prompt_key: composed } } })
    const run = await server.call(`POST /api/agents/${agent.body.data.id}/run`, { body: {} })
    expect(run.body).toMatchObject({ rendered: `Hi ${composed}`, run: { ref_key: '代理/一' } })
    const filtered = await server.call(`GET /api/agents?prompt_key=${encodeURIComponent(decomposed)}`)
    expect(filtered.body.total).toBe(1)
    const steps = [{ name: 'ask', type: 'agent', agent_key: '代理/一' }]
    const flow = await server.call('POST /api/workflows', { body: { key: '流れ', steps } })
    const done = await server.call(`POST /api/workflows/${flow.body.data.id}/run`, { body: {} })
    expect(done.body).toMatchObject({ status: 'ok', output: `mock completion (mock-small): Hi ${composed}` })
  })

  it('is used to report and find runs', async () => {
    const run = { provider: 'mock', model: 'm', latency_ms: 1, status: 'ok', ref_key: decomposed }
    expect((await server.call('POST /api/runs', { body: run })).body.data.ref_key).toBe(composed)
    const { body } = await server.call(`GET /api/runs?ref_key=${encodeURIComponent(decomposed)}`)
    expect(body.total).toBe(1)
  })

  it.each(['json', 'yaml', 'markdown', 'promptops', 'langfuse'])(
    'survives export and import as %s',
    async (format) => {
      const query = `format=${format}&env=prod&workspace=default`
      const { text } = await server.call(`GET /api/prompts/export?${query}`)
      const slug = `to-${format}`
      await server.call('POST /api/workspaces', { body: { name: slug, slug } })
      const files = [
        { name: `all.${format === 'markdown' ? 'md' : format === 'yaml' ? 'yaml' : 'json'}`, content: text },
      ]
      const reply = await server.call('POST /api/prompts/import', {
        body: { files, format, workspace_id: slug },
      })
      expect(reply).toMatchObject({ status: 200, body: { data: { created: keys.length, refused: 0 } } })
      const { body } = await server.call(`GET /api/prompts?workspace=${slug}&limit=200`)
      expect(body.data.map((row: { key: string }) => row.key).toSorted()).toEqual([...keys].toSorted())
    },
  )

  it("is truncated between characters if a copy's key would be too long", async () => {
    const key = `${'x'.repeat(193)}🧪${'x'.repeat(5)}`
    const { id } = await makePrompt(server, { key, content: 'x' })
    const copy = await act(server, id, 'duplicate', {})
    expect(copy.key).toBe(`${'x'.repeat(193)}🧪-copy`)
    const second = await act(server, id, 'duplicate', {})
    expect(second.key).toBe(`${'x'.repeat(193)}-copy-2`)
  })

  it.each([
    ['a right-to-left override', 'a\u202eb'],
    ['a zero-width space', 'a\u200bb'],
    ['a line break', 'a\nb'],
    ['a blank letter', 'a\u3164'],
    ['a joiner of letters', 'a\u200db'],
    ['a leading space', ' a'],
    ['201 characters', 'é'.repeat(201)],
  ])('is refused with %s', async (_name, key) => {
    const reply = await server.call('POST /api/prompts', { body: { key, content: 'x' } })
    expect(reply).toMatchObject({ status: 422, body: { errors: [{ path: 'key' }] } })
  })
})

it.each([
  ['workspaces', 'name', {}],
  ['tokens', 'name', {}],
  ['views', 'name', { page: 'runs', query: '' }],
  ['alerts', 'name', { kind: 'no_runs', period_minutes: 15, threshold: 5 }],
  ['users', 'username', { password: 'a phrase of names 1', role: 'viewer' }],
])('a name in %s has no invisible characters either', async (noun, field, body) => {
  const add = (name: string) => server.call(`POST /api/${noun}`, { body: { ...body, [field]: name } })
  for (const name of ['a\u0000b', 'a\ud800', 'a\u202eb', 'a\u200b', 'a\nb', 'a\ufe0f'])
    expect(await add(name), name).toMatchObject({ status: 422, body: { errors: [{ path: field }] } })
  for (const name of [decomposed, '👩\u200d🚀', 'می\u200cخواهم'])
    expect((await add(name)).body.data).toMatchObject({ [field]: name.normalize('NFC') })
})

it.each(['name', 'category', 'tags'])('the %s of a prompt has no invisible characters', async (field) => {
  const { id } = await makePrompt(server, { key: `visible/${field}`, content: 'x' })
  const change = (value: string) => server.call(`PATCH /api/prompts/${id}`, { body: { [field]: value } })
  for (const value of ['a\u200b', 'a\u202eb', 'b\u200d']) expect((await change(value)).status).toBe(422)
  expect((await change('👩\u200d🚀')).status).toBe(200)
})
