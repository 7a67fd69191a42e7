import { cp, mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { pathToFileURL } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { readTree, top } from '../support/source-tree.ts'

/** Names that only fields and columns of runs have, unlike `prompt_tokens`, which statistics have, too. */
const runFieldNames = [
  'error_type',
  'parent_id',
  'cached_tokens',
  'reasoning_tokens',
  'tokens_estimated',
  'ttft_us',
  'ttft_ms',
  'finish_reason',
  'client_run_id',
]
/** A protocol of a provider, whose fields have the same names. */
const otherFormats: ReadonlySet<string> = new Set(['server/gateway/protocols/openai.ts'])
const withoutComments = (text: string): string =>
  text.replace(/\/\*[\s\S]*?\*\//g, '').replace(/^\s*\/\/.*$/gm, '')
const namesIn = (text: string): number =>
  runFieldNames.filter((name) => new RegExp(`\\b${name}\\b`).test(withoutComments(text))).length

/** Returns the paths in the recipe of CONTRIBUTING.md. */
async function recipePaths(): Promise<string[]> {
  const text = await readFile(`${top}CONTRIBUTING.md`, 'utf8')
  const section = text.split(/^## /m).find((one) => one.startsWith('Add a field to a run\n')) ?? ''
  return [...section.matchAll(/`([\w/.-]+\/[\w./-]*)`/g)].map(([, path = '']) => path)
}

describe('the recipe "Add a field to a run"', () => {
  it('names files that exist', async () => {
    const paths = await recipePaths()
    expect(paths.length).toBeGreaterThan(5)
    const files = readTree('').map(({ path }) => path)
    const missing = paths.filter((path) => !files.some((file) => file === path || file.startsWith(path)))
    expect(missing).toEqual([])
  })

  it('names every file of service and contract that lists fields of a run', async () => {
    const paths = await recipePaths()
    const files = ['server', 'contract', 'bench'].flatMap(readTree)
    const listing = files.filter(({ path, text }) => path.endsWith('.ts') && namesIn(text) >= 3)
    expect(listing.map(({ path }) => path)).toContain('server/db/schema/run-columns.ts')
    const others = listing.filter(
      ({ path }) => !otherFormats.has(path) && !paths.some((one) => path === one || path.startsWith(one)),
    )
    expect(others.map(({ path }) => path)).toEqual([])
  })

  it('counts names in lists of any form, and not in comments', () => {
    expect(namesIn(`select(['ttft_us', "error_type"]); type A = { parent_id: string }`)).toBe(3)
    expect(namesIn('/* ttft_us, error_type */\n// parent_id\nconst error_types = 1')).toBe(0)
  })
})

/**
 * Folder of a copy of the compiled service. It is in the repository, so that packages are found, and is
 * called `dist`, so that Node loads it like the original.
 */
const copy = `${top}.cache/run-fields-${process.pid}/dist`

/** Replaces the only occurrence of a text in a compiled file. */
async function edit(path: string, before: string, after: string): Promise<void> {
  const text = await readFile(`${copy}/${path}`, 'utf8')
  expect(text.split(before), `${path}: ${before}`).toHaveLength(2)
  await writeFile(`${copy}/${path}`, text.replace(before, after))
}
const load = (path: string) => import(pathToFileURL(`${copy}/${path}`).href)

describe('a field added by the recipe', () => {
  let close = async () => {}

  beforeAll(async () => {
    await mkdir(copy, { recursive: true })
    for (const folder of ['server', 'contract'])
      await cp(`${top}dist/${folder}`, `${copy}/${folder}`, { recursive: true })
  })
  afterAll(async () => {
    await close()
    await rm(`${copy}/..`, { recursive: true, force: true })
  })

  it('is reported, stored, listed, filtered, searched for and exported', async () => {
    // The column list.
    const column = `region: { form: 'name', isNullable: true, isSearched: true },`
    await edit('server/db/schema/run-columns.js', 'finish_reason: {', `${column} finish_reason: {`)
    // The contract.
    await edit('contract/runs/run.js', 'reported: z', 'region: z.string().nullable(), reported: z')
    await edit(
      'contract/runs/run.js',
      'finish_reason: clearable(',
      'region: clearable(z.string()), finish_reason: clearable(',
    )
    await edit('contract/runs/run-filters.js', 'error_type: name(', 'region: name(64), error_type: name(')
    // The migration.
    const { migrations }: typeof import('../../server/db/migrations/index.ts') = await load(
      'server/db/migrations/index.js',
    )
    const version = migrations.length + 1
    const statements = [
      'ALTER TABLE runs ADD COLUMN region INTEGER',
      'CREATE INDEX runs_region ON runs (region, created_at) WHERE region IS NOT NULL',
    ]

    const { openDb }: typeof import('../../server/db/engines/sqljs/open.ts') = await load(
      'server/db/engines/sqljs/open.js',
    )
    const { createRunsService }: typeof import('../../server/features/runs/runs.service.ts') = await load(
      'server/features/runs/runs.service.js',
    )
    const { createBus }: typeof import('../../server/history/events/bus.ts') = await load(
      'server/history/events/bus.js',
    )
    const { systemContext }: typeof import('../../server/lib/context.ts') =
      await load('server/lib/context.js')
    const { RunReport }: typeof import('../../contract/runs/run.ts') = await load('contract/runs/run.js')
    const { ListRunsQuery, ExportRunsQuery }: typeof import('../../contract/runs/runs.ts') =
      await load('contract/runs/runs.js')

    const quiet = () => {}
    const { db } = await openDb({
      folder: `${copy}/data`,
      maxStoreBytes: 1024 ** 3,
      logger: { info: quiet, warn: quiet, error: quiet },
      migrations: [...migrations, { version, name: 'run_region', statements }],
    })
    const now = new Date()
    const runs = createRunsService({
      db,
      bus: createBus(),
      deletion: { now: () => now },
      history: { record: async () => {} },
      settings: () => ({
        runRetentionDays: 90,
        capture: 'off',
        payloadRetentionDays: 7,
        payloadMaxMb: 1,
        prices: [],
      }),
      payloadFolder: `${copy}/payloads`,
      hashEndUser: (endUser) => endUser,
      onError: (error) => {
        throw error
      },
    })
    close = async () => {
      await runs.close()
      await db.close()
    }
    const names = { slug: 'default', name: 'Default', name_folded: 'default', description: '' }
    await db.write(({ q }) =>
      q
        .insertInto('workspaces')
        .values({ id: 'default', ...names, protected_envs: '', created_at: 0, updated_at: 0 })
        .onConflict((conflict) => conflict.doNothing())
        .execute(),
    )

    const ctx = systemContext(now, 'test')
    const minimal = { provider: 'openai', model: 'gpt-4o', latency_ms: 1, status: 'ok' as const }
    const body = [{ ...minimal, region: 'north europe' }, minimal]
    const ids = await runs.report(ctx, RunReport.array().parse(body))
    expect(ids).toEqual([{ id: 1 }, { id: 2 }])

    const list = async (query: object) => (await runs.list(ctx, ListRunsQuery.parse(query))).data
    expect(await list({})).toMatchObject([
      { id: 2, region: null },
      { id: 1, region: 'north europe' },
    ])
    expect(await list({ region: 'north europe' })).toMatchObject([{ id: 1 }])
    expect(await list({ region: 'south' })).toEqual([])
    expect(await list({ q: 'europe' })).toMatchObject([{ id: 1 }])
    expect(await runs.get(ctx, 1)).toMatchObject({ region: 'north europe', finish_reason: null })

    const { open } = await runs.export(ctx, ExportRunsQuery.parse({ region: 'north europe' }))
    const parts: string[] = []
    for await (const chunk of await open()) parts.push(String(chunk))
    const [header = '', row = '', ...rest] = parts.join('').trim().split(/\r?\n/)
    const columnIndex = header.split(',').indexOf('region')
    expect(row.split(',')[columnIndex]).toBe('north europe')
    expect(rest).toEqual([])
  })
})
