import { describe, expect, it } from 'vitest'
import { parseFile } from '../../../../server/features/prompts/formats/parse.ts'
import { fetchServed, makePrompt } from '../prompts-support.ts'
import { importing, outcomes, server, setUpService, watcher } from './transfer-support.ts'

setUpService()

describe('an import', () => {
  it('is previewed first, and then creates drafts as previewed', async () => {
    await makePrompt(server, { key: 'i/same', content: 'same', env: 'dev' })
    await makePrompt(server, { key: 'i/other', content: 'old', env: 'dev', tags: ['kept'] })
    const content = JSON.stringify([
      { key: 'i/new', content: 'new {{a}}', tags: 'x,y' },
      { key: 'i/same', content: 'same', env: 'dev' },
      { key: 'i/other', content: 'other', name: 'Other' },
    ])
    const { result: preview, audit } = await watcher.during(() => importing(content, { preview: true }))
    expect(preview.body.data).toMatchObject({
      preview: true,
      created: 1,
      updated: 1,
      unchanged: 1,
      refused: 0,
      format: 'json',
    })
    expect(outcomes(preview)).toEqual(['create i/new dev', 'unchanged i/same dev', 'update i/other dev'])
    expect(preview.body.data.items[2].changes).toEqual(['name', 'content'])
    const afterValues = (reply: typeof preview) =>
      reply.body.data.items.map((item: { after: unknown }) => item.after)
    expect(afterValues(preview)).toEqual([null, null, { name: 'Other', content: 'other' }])
    expect(audit).toEqual([])
    const done = await watcher.during(() => importing(content))
    expect(outcomes(done.result)).toEqual(outcomes(preview))
    expect(afterValues(done.result)).toEqual([null, null, null])
    expect(done.audit).toEqual(['service-token create prompt i/new', 'service-token update prompt i/other'])
    expect((await fetchServed(server, 'i/new', 'env=dev')).status).toBe(404)
    expect((await fetchServed(server, 'i/other', 'env=dev')).body.content).toBe('old')
    const { id } = done.result.body.data.items[2]
    expect((await server.call(`GET /api/prompts/${id}`)).body.data).toMatchObject({
      content: 'other',
      name: 'Other',
      tags: ['kept'],
      has_draft: true,
    })
  })

  it('publishes on request, with one audit entry each', async () => {
    const content = JSON.stringify([
      { key: 'p/new', content: 'x' },
      { key: 'i/other', content: 'served now' },
    ])
    const done = await watcher.during(() => importing(content, { publish: true }))
    expect(done.result.body.data.items.map((item: { version: string }) => item.version)).toEqual(['v1', 'v2'])
    expect(done.audit).toEqual(['service-token create prompt p/new', 'service-token publish prompt i/other'])
    expect((await fetchServed(server, 'i/other', 'env=dev')).body).toMatchObject({
      content: 'served now',
      version: 'v2',
    })
    const again = await watcher.during(() => importing(content, { publish: true }))
    expect(again.result.body.data).toMatchObject({ unchanged: 2 })
    expect(again.audit).toEqual([])
  })

  it('is all or nothing, and reports the errors of each item', async () => {
    const content = JSON.stringify([
      { key: 'n/good', content: 'x' },
      { key: 'n//bad', content: 'x' },
      { key: 'n/none' },
      { key: 'n/env', content: 'x', env: 'moon' },
      { key: 'n/proto', content: '{{__proto__.x}}' },
      { key: 'n/good', content: 'twice' },
    ])
    const { result, audit } = await watcher.during(() => importing(content))
    expect([result.status, result.body.code]).toEqual([422, 'request.invalid'])
    expect(result.body.errors.map((error: { path: string }) => error.path)).toEqual([
      'files.0.1.key',
      'files.0.2.content',
      'files.0.3.env',
      'files.0.4.content',
      'files.0.5.key',
    ])
    expect(audit).toEqual([])
    expect((await server.call('GET /api/prompts?folder=n')).body.total).toBe(0)
    const preview = await importing(content, { preview: true })
    expect([preview.status, preview.body.data.refused, preview.body.data.created]).toEqual([200, 5, 1])
  })

  it('names the file of a refused item by its index, also if two files have the same name', async () => {
    const files = ['n/good', 'n//bad'].map((key) => ({
      name: 'same.json',
      content: JSON.stringify({ key, content: 'x' }),
    }))
    const reply = await server.call('POST /api/prompts/import', { body: { files } })
    expect([reply.status, reply.body.errors[0].path]).toEqual([422, 'files.1.0.key'])
  })

  it('skips or refuses existing items, uses a target folder, and fills in an environment', async () => {
    const content = JSON.stringify({ prompts: [{ key: 'i/same', content: 'changed', env: 'dev' }] })
    expect(outcomes(await importing(content, { existing: 'skip' }))).toEqual(['skip i/same dev'])
    expect((await importing(content, { existing: 'refuse' })).body.errors[0].path).toBe('files.0.0.key')
    expect(
      outcomes(await importing('[{"key":"k","content":"x"}]', { prefix: 'in/there', env: 'test' })),
    ).toEqual(['create in/there/k test'])
    expect(
      (await importing('[{"key":"k","content":"x"}]', { workspace_id: 'nowhere' })).body.errors[0].path,
    ).toBe('workspace_id')
  })

  it('into a folder keeps the includes of prompts that are imported together', async () => {
    await makePrompt(server, { key: 'sig', content: 'other', env: 'prod' })
    const items = [
      { key: 'mail', content: '{{> sig}}, {{> sig@v1}}' },
      { key: 'chat', messages: [{ role: 'user', content: '{{> sig}}' }] },
      { key: 'sig', content: 'imported' },
    ]
    const options = { prefix: 'in/pre', env: 'prod', publish: true }
    expect((await importing(JSON.stringify(items), options)).body.data.created).toBe(3)
    const contentOf = async (key: string) => (await fetchServed(server, key, 'env=prod')).body.content
    expect(await contentOf('in/pre/mail')).toBe('imported, other')
    expect(await contentOf('in/pre/chat')).toBe('user: imported')
  })

  it.each([
    ['truncated JSON', '{"prompts": [', 'a.json'],
    ['JSON without prompts', '42', 'a.json'],
    ['an empty list', '[]', 'a.json'],
    ['a list of texts', '["x"]', 'a.json'],
    ['recursive YAML', 'prompts: &p\n  - *p\n', 'a.yaml'],
    ['YAML with an undefined alias', 'prompts: *p\n', 'a.yaml'],
    [
      'YAML whose aliases expand without end',
      `a: &a [x,x,x,x,x,x,x,x,x]\n${[...'bcdefghi'].map((name, n) => `${name}: &${name} [${Array(9).fill(`*${'abcdefgh'[n]}`).join(',')}]`).join('\n')}\nprompts: [*i]`,
      'a.yaml',
    ],
    ['YAML with a duplicate key', 'key: a\nkey: b\n', 'a.yml'],
    ['YAML with broken indentation', 'prompts:\n  - key: "a\n b: c', 'a.yaml'],
    ['JSON that is nested too deep', '['.repeat(200_000), 'a.json'],
    ['Markdown whose front matter does not end', '---\nkey: a\n', 'a.md'],
    ['Markdown without front matter', 'Hello', 'a.md'],
    ['truncated Markdown', '---\nkey: a\nlines: 5\n---\nx\n', 'a.md'],
  ])('refuses %s', async (_name, content, file) => {
    const { result, audit } = await watcher.during(() => importing(content, {}, file))
    expect([result.status, result.body.errors?.[0].path]).toEqual([422, 'files.0.content'])
    expect(result.body.detail).toContain(file)
    expect(audit).toEqual([])
  })
  it('accepts up to the limit and no more', async () => {
    const many = JSON.stringify(Array.from({ length: 501 }, (_, n) => ({ key: `m/${n}`, content: 'x' })))
    expect((await importing(many)).body.errors[0].path).toBe('files')
    expect((await importing('x'.repeat(1_000_001))).status).toBe(422)
    expect((await importing('x'.repeat(1_100_000))).status).toBe(413)
  })
})

describe('files of other products', () => {
  it('PromptOps: lists, tags as text, names of variables, versions', () => {
    const file = {
      prompts: [
        {
          id: 7,
          key: 'a',
          name: 'A',
          content: 'x {{v}}',
          env: 'prod',
          model: 'm',
          tags: 'a,b',
          variables: ['v'],
        },
        {
          key: 'b',
          versions: [
            { version: 'v2', content: 'two' },
            { version: 'v10', content: 'ten' },
          ],
        },
      ],
    }
    const { items } = parseFile('x.json', JSON.stringify(file), 'promptops')
    expect(items.map(({ fields }) => [fields['key'], fields['content']])).toEqual([
      ['a', 'x {{v}}'],
      ['b', 'ten'],
    ])
    expect(items[1]?.notes).toHaveLength(1)
  })
  it('Langfuse: labels are environments, the newest of each is imported, chat stays chat', async () => {
    const file = {
      data: [
        {
          name: 'Movie critic',
          version: 1,
          type: 'text',
          prompt: 'one',
          labels: ['staging'],
          config: {},
          tags: ['t'],
        },
        {
          name: 'Movie critic',
          version: 2,
          type: 'text',
          prompt: 'two {{x}}',
          labels: ['production', 'staging', 'latest'],
          config: { model: 'gpt-4o' },
          tags: [],
        },
        {
          name: 'ch\u200bat',
          version: 1,
          type: 'chat',
          prompt: [
            { role: 'system', content: 'Be kind' },
            { role: 'user', content: '{{q}}' },
          ],
          labels: ['latest'],
          config: {},
        },
      ],
    }
    const reply = await importing(JSON.stringify(file), { publish: true }, 'langfuse.json')
    expect(reply.body.data.format).toBe('langfuse')
    expect(outcomes(reply).toSorted()).toEqual([
      'create Movie critic prod',
      'create Movie critic test',
      'create ch-at dev',
    ])
    expect((await fetchServed(server, 'Movie critic', 'env=test')).body).toMatchObject({
      content: 'two {{x}}',
      model: 'gpt-4o',
    })
    expect((await fetchServed(server, 'ch-at', 'env=dev')).body).toMatchObject({
      type: 'chat',
      content: 'system: Be kind\n\nuser: {{q}}',
      messages: [
        { role: 'system', content: 'Be kind' },
        { role: 'user', content: '{{q}}' },
      ],
    })
  })
})
