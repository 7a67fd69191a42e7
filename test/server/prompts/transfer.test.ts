import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { toLangfuse } from '../../../server/features/prompts/formats/foreign.ts'
import { writeMarkdown } from '../../../server/features/prompts/formats/markdown.ts'
import { parseFile } from '../../../server/features/prompts/formats/parse.ts'
import { type Watcher, watch } from '../../support/scenario.ts'
import { startTestServer, type TestServer } from '../../support/service.ts'
import { edit, fetchServed, makePrompt } from './prompts-support.ts'

let server: TestServer
let watcher: Watcher
beforeAll(async () => {
  server = await startTestServer()
  await server.call('POST /api/workspaces', { body: { name: 'Copy' } })
  watcher = await watch(server)
})
afterAll(async () => {
  await watcher.close()
  await server.close()
})

type Options = Record<string, unknown>
const importing = (content: string, options: Options = {}, name = 'file') =>
  server.call('POST /api/prompts/import', { body: { files: [{ name, content }], ...options } })
const outcomes = (reply: { body: { data: { items: { key: string; env: string; outcome: string }[] } } }) =>
  reply.body.data.items.map(({ key, env, outcome }) => `${outcome} ${key} ${env}`)

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
          name: 'chat',
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
      'create chat dev',
    ])
    expect((await fetchServed(server, 'Movie critic', 'env=test')).body).toMatchObject({
      content: 'two {{x}}',
      model: 'gpt-4o',
    })
    expect((await fetchServed(server, 'chat', 'env=dev')).body).toMatchObject({
      type: 'chat',
      content: 'system: Be kind\n\nuser: {{q}}',
      messages: [
        { role: 'system', content: 'Be kind' },
        { role: 'user', content: '{{q}}' },
      ],
    })
  })
})

describe('an export', () => {
  const exporting = (query: string) => server.call(`GET /api/prompts/export?${query}`)
  beforeAll(async () => {
    const variables = [{ name: 'a', required: true, description: 'Ä: "x"', default: 'y' }]
    const content = '---\nkey: not/front\n---\n  indented {{a}}\n\nüñí\n'
    const { id } = await makePrompt(server, {
      key: 'e/one',
      env: 'prod',
      content,
      model: 'm',
      tags: ['t'],
      variables,
      category: 'c',
    })
    await edit(server, id, { content: 'a draft' })
    await makePrompt(server, { key: 'e/two', env: 'dev', content: 'second', draft: true })
  })

  it.each(['json', 'yaml', 'markdown', 'promptops', 'langfuse', 'openai'])(
    'as %s restores everything that is served',
    async (format) => {
      const { result: file, audit } = await watcher.during(() =>
        exporting(`format=${format}&folder=e&workspace=default`),
      )
      expect(file.headers.get('content-disposition')).toMatch(/^attachment; filename="prompts-[\d-]+\./)
      expect(audit).toEqual(['service-token export prompt'])
      const workspace_id = (await server.call('POST /api/workspaces', { body: { name: `As ${format}` } }))
        .body.data.slug
      const done = await importing(file.text, { workspace_id, publish: true, format }, 'file')
      expect(done.status, done.text).toBe(200)
      const [before, after] = await Promise.all(
        ['', `&workspace=${workspace_id}`].map(
          async (rest) => (await fetchServed(server, 'e/one', `env=prod${rest}`)).body,
        ),
      )
      expect(after).toMatchObject({ content: before.content, model: 'm', version: 'v1' })
      if (format === 'json' || format === 'yaml' || format === 'markdown') {
        expect(after.variables).toEqual(before.variables)
        const draft = await fetchServed(server, 'e/two', `env=dev&workspace=${workspace_id}`)
        expect(draft.status).toBe(404)
      }
    },
  )
  it('contains draft and served version of the selected prompts', async () => {
    const { text } = await exporting('format=yaml&folder=e&env=prod&workspace=default')
    expect(parse(text)).toMatchObject({
      format: 'promptdeck',
      prompts: [{ key: 'e/one', draft: { content: 'a draft' } }],
    })
    expect(parse(text).prompts).toHaveLength(1)
    const row = (await server.call('GET /api/prompts?folder=e&env=dev&workspace=default')).body.data[0]
    expect(JSON.parse((await exporting(`id=${row.id}`)).text).prompts).toMatchObject([
      { key: 'e/two', version: null },
    ])
    expect((await exporting('format=xml')).status).toBe(422)
  })

  it('keeps any text, in every format', () => {
    const prompt = (content: string) => ({
      key: 'k',
      env: 'dev' as const,
      name: 'n',
      description: '',
      category: null,
      tags: [],
      type: 'text' as const,
      model: null,
      params: {},
      variables: [],
      version: 'v1',
      content,
    })
    const line = fc.constantFrom(
      '---',
      'key: x',
      '',
      ' ',
      '#',
      '- a',
      '\u2028',
      'text',
      '{{a}}',
      '"',
      '\t',
      'two\rlines',
      'end\r',
    )
    fc.assert(
      fc.property(fc.array(line, { minLength: 1, maxLength: 8 }), (lines) => {
        const content = lines.join('\n')
        const text = writeMarkdown(prompt(content)) + writeMarkdown(prompt('last'))
        expect(parseFile('x.md', text, 'auto').items.map(({ fields }) => fields['content'])).toEqual([
          content,
          'last',
        ])
        const langfuse = parseFile('x', JSON.stringify([toLangfuse(prompt(content))]), 'auto')
        expect(langfuse.items[0]?.fields['content']).toBe(content)
      }),
    )
  })
})

describe('the formats of other products', () => {
  const preview = (query: string) => server.call(`GET /api/prompts/export/preview?${query}`)

  it('are previewed before an export, by prompt and field', async () => {
    await makePrompt(server, { key: 'f/plain', content: 'Hi {{name}}', env: 'prod' })
    await makePrompt(server, { key: 'f/tagged', content: 'x', env: 'prod', category: 'c', tags: ['a'] })
    const { result, audit } = await watcher.during(() => preview('format=promptfoo&folder=f'))
    expect(result.body.data).toEqual({
      format: 'promptfoo',
      prompts: 2,
      complete: 1,
      losses: [
        { key: 'f/tagged', env: 'prod', field: 'category', message: 'The format has no such field' },
        { key: 'f/tagged', env: 'prod', field: 'tags', message: 'The format has no such field' },
      ],
      truncated: false,
    })
    expect(audit).toEqual([])
    expect((await preview('format=json&folder=f')).body.data).toMatchObject({ complete: 2, losses: [] })
  })

  it('are exported, and imported under another folder', async () => {
    const file = await server.call('GET /api/prompts/export?format=promptfoo&folder=f')
    expect(parse(file.text).prompts).toEqual([
      { label: 'f/plain@prod', raw: 'Hi {{name}}' },
      { label: 'f/tagged@prod', raw: 'x' },
    ])
    const imported = await importing(file.text, { prefix: 'foo' }, 'promptfooconfig.yaml')
    expect(imported.body.data.format).toBe('promptfoo')
    expect(outcomes(imported)).toEqual(['create foo/f/plain prod', 'create foo/f/tagged prod'])
    const one = await server.call('GET /api/prompts/export?format=dotprompt&key=f/tagged')
    expect(one.headers.get('content-disposition')).toMatch(/\.prompt"/)
    const again = await importing(one.text, { prefix: 'dot' }, 'any.prompt')
    expect(outcomes(again)).toEqual(['create dot/f/tagged prod'])
    const { id } = again.body.data.items[0]
    expect((await server.call(`GET /api/prompts/${id}`)).body.data).toMatchObject({
      content: 'x',
      category: 'c',
      tags: ['a'],
    })
  })

  it('are exported as an archive of one file for each prompt, with paths of any length', async () => {
    const key = `f/${'long'.repeat(40)}`
    await makePrompt(server, { key, content: 'ä', env: 'prod' })
    const folder = await mkdtemp(join(tmpdir(), 'promptdeck-tar-'))
    try {
      const { text } = await server.call('GET /api/prompts/export?format=dotprompt&folder=f')
      await writeFile(join(folder, 'a.tar'), text)
      await promisify(execFile)('tar', ['-xf', 'a.tar'], { cwd: folder })
      expect(await readFile(join(folder, `prod/${key}.prompt`), 'utf8')).toMatch(/---\nä$/)
      expect(await readFile(join(folder, 'prod/f/plain.prompt'), 'utf8')).toContain('Hi {{name}}')
    } finally {
      await rm(folder, { recursive: true })
    }
  })

  it('note what an import leaves out', async () => {
    const config =
      'prompts: ["{% if a %}x{% endif %}"]\nproviders: [openai:chat:gpt-4o, exec:a]\ntests: [{assert: []}]\n'
    const { body } = await importing(config, { preview: true }, 'other.yaml')
    expect(body.data.items[0]).toMatchObject({ key: 'other', outcome: 'create' })
    expect(body.data.items[0].notes.map((note: string) => note.split(':')[0])).toEqual([
      'raw',
      'providers',
      'tests',
    ])
  })
})
