import { execFile } from 'node:child_process'
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import fc from 'fast-check'
import { beforeAll, describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { toLangfuse } from '../../../../server/features/prompts/formats/foreign.ts'
import { writeMarkdown } from '../../../../server/features/prompts/formats/markdown.ts'
import { parseFile } from '../../../../server/features/prompts/formats/parse.ts'
import { edit, fetchServed, makePrompt } from '../prompts-support.ts'
import { importing, outcomes, server, setUpService, watcher } from './transfer-support.ts'

setUpService()

describe('an export', () => {
  const exporting = (query: string) => server.call(`GET /api/prompts/export?${query}`)
  const served = '---\nkey: not/front\n---\n  indented {{a}}\n\nüñí\n'
  beforeAll(async () => {
    const variables = [{ name: 'a', required: true, description: 'Ä: "x"', default: 'y' }]
    const { id } = await makePrompt(server, {
      key: 'e/one',
      env: 'prod',
      content: served,
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
      prompts: [{ key: 'e/one', version: 'v1', content: served, draft: { content: 'a draft' } }],
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
      description: content,
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
        const { items } = parseFile('x.md', text, 'auto')
        for (const field of ['content', 'description'])
          expect(items.map(({ fields }) => fields[field])).toEqual([content, 'last'])
        const langfuse = parseFile('x', JSON.stringify([toLangfuse(prompt(content))]), 'auto')
        expect(langfuse.items[0]?.fields['content']).toBe(content)
      }),
      { examples: [[[' ', '']]] },
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

  it('list at most 1,000 losses in the preview, and report whether there are more', async () => {
    // OpenAI's format has no null: each parameter is one loss.
    const params = (count: number) =>
      Object.fromEntries(Array.from({ length: count }, (_, index) => [`p${index}`, null]))
    for (let n = 0; n < 25; n += 1)
      await makePrompt(server, { key: `many/${n}`, content: 'x', env: 'prod', params: params(40) })
    const full = (await preview('format=openai&folder=many')).body.data
    expect(full).toMatchObject({ prompts: 25, complete: 0, truncated: false })
    expect(full.losses).toHaveLength(1000)
    await makePrompt(server, { key: 'many/z', content: 'x', env: 'prod', params: params(1) })
    const more = (await preview('format=openai&folder=many')).body.data
    expect(more).toMatchObject({ prompts: 26, complete: 0, truncated: true })
    expect(more.losses).toHaveLength(1000)
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
    for (const same of ['f/same:', 'f/same?', 'f/Same*'])
      await makePrompt(server, { key: same, content: 'x', env: 'prod' })
    const folder = await mkdtemp(join(tmpdir(), 'promptdeck-tar-'))
    try {
      const { text } = await server.call('GET /api/prompts/export?format=dotprompt&folder=f')
      await writeFile(join(folder, 'a.tar'), text)
      await promisify(execFile)('tar', ['-xf', 'a.tar'], { cwd: folder })
      expect(await readFile(join(folder, `prod/${key}.prompt`), 'utf8')).toMatch(/---\nä$/)
      expect(await readFile(join(folder, 'prod/f/plain.prompt'), 'utf8')).toContain('Hi {{name}}')
      const paths = (await readdir(join(folder, 'prod/f'))).map((name) => name.toLowerCase())
      expect(new Set(paths.filter((path) => path.startsWith('same'))).size).toBe(3)
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
