import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { createPromptsService } from '../../../server/features/prompts/prompts.service.ts'
import { createTrash } from '../../../server/features/prompts/trash/trash.service.ts'
import { diffLines } from '../../../server/features/prompts/versions/line-diff.ts'
import { createSharedResults } from '../../../server/lib/async/shared-results.ts'
import { newUuid } from '../../../server/lib/ids.ts'
import { openLog } from '../audit/audit-support.ts'
import { server, setUpService } from '../file-service.ts'
import { edit, makePrompt } from './prompts-support.ts'

setUpService(async () => {
  await server.call('POST /api/workspaces', { body: { name: 'Blue' } })
  const make = (key: string, body: object) => makePrompt(server, { key, content: key, ...body })
  await make('top', {
    env: 'prod',
    name: 'Überschrift',
    tags: 'mail',
    content: 'Write a headline_text about {{topic}}',
  })
  await make('billing/refund', { env: 'prod', category: 'support', tags: ['mail', 'money'] })
  await make('billing/refund', { env: 'dev', category: 'support' })
  await make('billing/mail/first', { env: 'dev', category: 'sales', draft: true })
  await make('billing2/x', { env: 'test' })
  await make('blue/one', { env: 'prod', workspace_id: 'blue', tags: 'mail' })
})

const keys = async (query: string): Promise<string[]> => {
  const { status, body, text } = await server.call(`GET /api/prompts?${query}`)
  expect(status, text).toBe(200)
  return body.data.map((row: { key: string; env: string }) => `${row.key} ${row.env}`)
}

describe('the list', () => {
  it.each([
    [
      '',
      [
        'billing/mail/first dev',
        'billing/refund dev',
        'billing/refund prod',
        'billing2/x test',
        'blue/one prod',
        'top prod',
      ],
    ],
    ['workspace=blue', ['blue/one prod']],
    ['workspace=nowhere', []],
    ['env=dev&env=test', ['billing/mail/first dev', 'billing/refund dev', 'billing2/x test']],
    ['folder=billing', ['billing/mail/first dev', 'billing/refund dev', 'billing/refund prod']],
    ['folder=billing/mail/', ['billing/mail/first dev']],
    ['folder=/', ['top prod']],
    ['key=billing/refund', ['billing/refund dev', 'billing/refund prod']],
    ['key=refund', []],
    ['category=support&env=dev', ['billing/refund dev']],
    ['tag=mail', ['billing/refund prod', 'blue/one prod', 'top prod']],
    ['tag=money&tag=none', ['billing/refund prod']],
    ['draft=true', ['billing/mail/first dev']],
    ['q=headl', ['top prod']],
    ['q=text%20topic', ['top prod']],
    ['q=uberschrift', []],
    ['q=%C3%BCBER', ['top prod']],
    ['q=refund%20money', ['billing/refund prod']],
    ['q=%21%21', []],
    ['sort=-key&limit=2', ['top prod', 'blue/one prod']],
    ['sort=name&limit=1', ['billing/mail/first dev']],
    ['sort=-created_at&limit=1', ['blue/one prod']],
    ['include=deleted', []],
  ])('%s', async (query, expected) => {
    expect(await keys(query)).toEqual(expected)
  })

  it.each(['env=moon', 'sort=content', 'include=all', 'draft=maybe', 'fields=all', 'colour=red', 'limit=0'])(
    'refuses %s',
    async (query) => {
      expect((await server.call(`GET /api/prompts?${query}`)).status).toBe(422)
    },
  )

  it('is paged by a cursor, with an exact total', async () => {
    const seen: string[] = []
    let cursor = ''
    do {
      const { body } = await server.call(`GET /api/prompts?limit=2&fields=summary${cursor}`)
      expect(body.total).toBe(6)
      seen.push(...body.data.map((row: { key: string; env: string }) => `${row.key} ${row.env}`))
      cursor = body.next_cursor === null ? '' : `&cursor=${body.next_cursor}`
    } while (cursor !== '')
    expect(seen).toEqual(await keys(''))
  })

  it('shows all fields; a summary omits the long ones', async () => {
    const full = (await server.call('GET /api/prompts?q=headline')).body.data[0]
    const { client_count, ...prompt } = full
    expect(client_count).toBe(0)
    expect(prompt).toEqual((await server.call(`GET /api/prompts/${full.id}`)).body.data)
    const summary = (await server.call('GET /api/prompts?q=headline&fields=summary')).body.data[0]
    const { content, messages, params, variables, served, ...rest } = full
    expect(summary).toEqual({ ...rest, served: { version: 'v1', type: 'text', model: null } })
  })

  it('finds the words of the current draft only', async () => {
    const { id } = await makePrompt(server, {
      key: 'words',
      content: 'aardvark',
      env: 'test',
      workspace_id: 'blue',
    })
    await edit(server, id, { content: 'zebra' })
    expect([await keys('q=aardvark'), await keys('q=zebra')]).toEqual([[], ['words test']])
    await server.call(`DELETE /api/prompts/${id}`)
    expect([await keys('q=zebra'), await keys('q=zebra&include=deleted')]).toEqual([[], ['words test']])
  })

  it('has folders with all parents, environments, categories and tags as filters', async () => {
    const { body } = await server.call('GET /api/prompts/facets?workspace=default')
    expect(body.data).toEqual({
      folders: [
        { path: '', count: 1, total: 5 },
        { path: 'billing', count: 2, total: 3 },
        { path: 'billing/mail', count: 1, total: 1 },
        { path: 'billing2', count: 1, total: 1 },
      ],
      envs: [
        { name: 'dev', count: 2 },
        { name: 'test', count: 1 },
        { name: 'prod', count: 2 },
      ],
      categories: [
        { name: 'sales', count: 1 },
        { name: 'support', count: 2 },
      ],
      tags: [
        { name: 'mail', count: 2 },
        { name: 'money', count: 1 },
      ],
      drafts: 1,
      deleted: 0,
    })
    expect((await server.call('GET /api/prompts/facets?env=prod')).body.data.folders[0]).toEqual({
      path: '',
      count: 1,
      total: 3,
    })
  })
})

describe('a comparison', () => {
  const shown = (from: string, to: string) =>
    diffLines(from, to).lines.map(({ kind, text }) => `${kind[0]}${text}`)
  it('keeps common parts, and counts both sides', () => {
    expect(shown('a\nb\nc', 'a\nB\nc\nd')).toEqual(['sa', 'rb', 'aB', 'sc', 'ad'])
    expect(shown('', 'x')).toEqual(['ax'])
    expect(shown('x', '')).toEqual(['rx'])
    expect(shown('a', 'a\n')).toEqual(['sa', 'a'])
  })
  it('of unrelated texts ends early, and reports that', () => {
    const text = (sign: string) => Array.from({ length: 60_000 }, (_, n) => `${sign}${n}`).join('\n')
    const { lines, isCoarse, added, removed, omitted } = diffLines(text('a'), text('b'))
    expect(isCoarse).toBe(true)
    expect({ added, removed, omitted }).toEqual({ added: 60_000, removed: 60_000, omitted: 100_000 })
    expect(lines).toHaveLength(20_000)
    expect(lines.every((line) => line.parts === undefined)).toBe(true)
  })
})

describe('the trash', () => {
  it('is emptied after the retention time, with an entry for each prompt, and not before', async () => {
    const dataDir = await mkdtemp(join(tmpdir(), 'promptdeck-trash-'))
    const log = await openLog(dataDir)
    try {
      const { db, history, clock } = log
      const defaults = { created_at: 0, updated_at: 0, description: '', name_folded: '', protected_envs: '' }
      await db.write(({ q }) =>
        q
          .insertInto('workspaces')
          .values({ id: 'default', slug: 'default', name: 'D', ...defaults })
          .execute(),
      )
      const prompts = createPromptsService({
        db,
        history,
        newId: newUuid,
        share: () => createSharedResults(() => 0, 0),
        usage: () => () => 0,
      })
      const trash = createTrash({ db, history, deletion: clock, newId: newUuid })
      const body = { env: 'dev', content: 'x', draft: false } as const
      const old = await prompts.create(log.ctx(), { ...body, key: 'old' })
      const kept = await prompts.create(log.ctx(), { ...body, key: 'kept' })
      await prompts.remove(log.ctx(), old.id, null)
      clock.advance(29 * 24 * 3_600_000)
      await prompts.remove(log.ctx(), kept.id, null)
      expect(await trash.deleteExpired()).toEqual({ removed: 0 })
      clock.advance(2 * 24 * 3_600_000)
      expect(await trash.deleteExpired()).toEqual({ removed: 1 })
      expect(await trash.deleteExpired()).toEqual({ removed: 0 })
      const last = await db.read.selectFrom('audit').selectAll().orderBy('id', 'desc').executeTakeFirst()
      expect(last).toMatchObject({ actor: 'system', action: 'delete', key: 'old' })
      for (const table of ['prompt_versions', 'prompt_words'] as const)
        expect(
          await db.read.selectFrom(table).select('prompt_id').where('prompt_id', '=', old.id).execute(),
        ).toEqual([])
      await expect(prompts.restore(log.ctx(), old.id, null)).rejects.toMatchObject({ code: 'not_found' })
      expect((await prompts.restore(log.ctx(), kept.id, null)).version).toBe('v1')
    } finally {
      await log.close()
      await rm(dataDir, { recursive: true, force: true })
    }
  })
})
