import { cp } from 'node:fs/promises'
import { basename } from 'node:path'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createPromptsService } from '../../../server/features/prompts/prompts.service.ts'
import { createSdkService } from '../../../server/features/prompts/served/sdk.service.ts'
import { diffLines } from '../../../server/features/prompts/versions/line-diff.ts'
import { createVersionsService } from '../../../server/features/prompts/versions/versions.service.ts'
import { createSharedResults } from '../../../server/lib/async/shared-results.ts'
import { newUuid } from '../../../server/lib/ids.ts'
import { type Log, newDataDir, openLog, removeDataDir } from '../audit/audit-support.ts'

const envs = ['dev', 'test', 'prod'] as const
const actors = ['ann', 'bob', 'cleo']

const anyStep = fc.record({
  operation: fc.constantFrom(
    'create',
    'create',
    'draft',
    'edit',
    'edit',
    'publish',
    'publish',
    'rollback',
    'promote',
    'delete',
    'restore',
    'crash',
    'concurrent',
  ),
  actor: fc.nat(actors.length - 1),
  key: fc.nat(1),
  env: fc.nat(envs.length - 1),
  to: fc.nat(envs.length - 1),
  version: fc.integer({ min: 1, max: 4 }),
})
type Step = typeof anyStep extends fc.Arbitrary<infer T> ? T : never

/** True for files that remain after a crash: not the lock, not an unfinished temporary file. */
const survivesCrash = (name: string) =>
  !['owner.json', 'run'].includes(basename(name)) && !name.endsWith('.tmp')

/** Opens prompts on a real store in a folder that can simulate a crash at any time. */
async function openFixture() {
  const folders: string[] = [await newDataDir()]
  let log: Log = await openLog(folders[0] ?? '')
  const abandoned: Log[] = []
  const defaults = { created_at: 0, updated_at: 0, description: '', name_folded: '', protected_envs: '' }
  await log.db.write(({ q }) =>
    q
      .insertInto('workspaces')
      .values({ id: 'default', slug: 'default', name: 'D', ...defaults })
      .execute(),
  )
  const servicesOf = ({ db, history }: Log) => ({
    prompts: createPromptsService({
      db,
      history,
      newId: newUuid,
      share: () => createSharedResults(() => 0, 0),
      usage: () => () => 0,
    }),
    versions: createVersionsService({
      db,
      history,
      newId: newUuid,
      compareLines: async (_ctx, from, to) => diffLines(from, to),
    }),
    sdk: createSdkService({ db }),
  })
  let services = servicesOf(log)
  return {
    log: () => log,
    services: () => services,
    /** Opens a copy of what is on disk now; the previous store is not used again. */
    async crash() {
      const copy = await newDataDir()
      await cp(log.dataDir, copy, { recursive: true, filter: survivesCrash })
      folders.push(copy)
      abandoned.push(log)
      log = await openLog(copy)
      services = servicesOf(log)
    },
    async close() {
      for (const opened of [...abandoned, log]) await opened.close()
      for (const folder of folders) await removeDataDir(folder)
    },
  }
}
type Fixture = Awaited<ReturnType<typeof openFixture>>

async function playSteps(fixture: Fixture, steps: readonly Step[]): Promise<void> {
  /** Content of each version when first read; it must never differ. */
  const contents = new Map<string, string>()
  let succeeded = 0
  let textCount = 0

  const idOf = async (step: Step, isDeleted = false): Promise<string> => {
    const q = fixture.log().db.read.selectFrom('prompts').select('id').where('key', '=', `k${step.key}`)
    const rows = await q
      .where('env', '=', envs[step.env] ?? 'dev')
      .where('deleted_at', isDeleted ? 'is not' : 'is', null)
      .execute()
    return rows[0]?.id ?? 'none'
  }
  const attempt = async (work: () => Promise<unknown>): Promise<void> => {
    try {
      await work()
      succeeded += 1
    } catch (error) {
      // Refused for a documented reason, so nothing may have changed. Any other error is a failure.
      expect(error).toMatchObject({ name: 'Problem', status: expect.any(Number) })
      expect(Reflect.get(Object(error), 'status')).toBeLessThan(500)
    }
  }
  const run = async (step: Step): Promise<void> => {
    const { prompts, versions } = fixture.services()
    const log = fixture.log()
    const name = actors[step.actor] ?? 'ann'
    const ctx = log.ctx({
      actor: { kind: 'user', id: name, name, role: 'editor', sessionId: null },
      now: log.clock.now(),
    })
    const [key, env, to] = [`k${step.key}`, envs[step.env] ?? 'dev', envs[step.to] ?? 'dev']
    textCount += 1
    const content = `${name} ${textCount} {{v${textCount % 3}}}`
    const operations: Record<string, () => Promise<unknown>> = {
      create: () => prompts.create(ctx, { key, env, content, draft: false }),
      draft: () => prompts.create(ctx, { key, env, content, draft: true }),
      edit: async () => prompts.update(ctx, await idOf(step), { content }, null),
      publish: async () => versions.publish(ctx, await idOf(step), undefined, null),
      rollback: async () => versions.rollback(ctx, await idOf(step), { version: `v${step.version}` }, null),
      promote: async () => versions.promote(ctx, await idOf(step), { env: to }, null),
      delete: async () => prompts.remove(ctx, await idOf(step), null),
      restore: async () => prompts.restore(ctx, await idOf(step, true), null),
    }
    const operation = operations[step.operation]
    if (operation !== undefined) await attempt(operation)
  }

  for (const step of steps) {
    fixture.log().clock.advance(1000)
    if (step.operation === 'crash') await fixture.crash()
    else if (step.operation === 'concurrent')
      await Promise.all(
        (['edit', 'publish', 'promote', 'publish'] as const).map((operation) => run({ ...step, operation })),
      )
    else await run(step)
    await check()
  }

  async function check(): Promise<void> {
    const { db, verify } = fixture.log()
    const prompts = await db.read.selectFrom('prompts').selectAll().execute()
    const versions = await db.read.selectFrom('prompt_versions').selectAll().orderBy('version').execute()
    const drafts = await db.read.selectFrom('prompt_drafts').selectAll().execute()
    const live = prompts.filter((row) => row.deleted_at === null)
    expect(new Set(live.map((row) => `${row.workspace_id} ${row.key} ${row.env}`)).size).toBe(live.length)
    for (const row of prompts) {
      const rowVersions = versions.filter((version) => version.prompt_id === row.id)
      expect(rowVersions.map(({ version }) => version)).toEqual(
        Array.from({ length: row.version }, (_, n) => n + 1),
      )
      expect(drafts.some((draft) => draft.prompt_id === row.id)).toBe(row.has_draft === 1)
      expect(row.version > 0 || row.has_draft === 1).toBe(true)
      const served = fixture
        .services()
        .sdk.prompt(fixture.log().ctx(), row.key, { env: row.env, workspace: 'default' })
      const newest = rowVersions.at(-1)
      if (row.deleted_at === null && newest !== undefined)
        expect(JSON.parse((await served).json)).toMatchObject({
          content: newest.content,
          version: `v${newest.version}`,
        })
      else if (row.deleted_at === null) await expect(served).rejects.toMatchObject({ code: 'not_found' })
      else await served.catch(() => undefined)
    }
    for (const { prompt_id, version, content } of versions) {
      const name = `${prompt_id} ${version}`
      expect(contents.get(name) ?? content).toBe(content)
      contents.set(name, content)
    }
    // No version is missing, and each has the one entry that created it.
    expect(contents.size).toBe(versions.length)
    const entries = await db.read.selectFrom('audit').selectAll().where('resource', '=', 'prompt').execute()
    expect(entries).toHaveLength(succeeded)
    const created = entries.flatMap(({ after, action, resource_id }) => {
      const { version } = JSON.parse(after ?? '{}')
      const createsVersion =
        ['publish', 'rollback', 'promote'].includes(action) || (action === 'create' && version !== null)
      return createsVersion ? [`${resource_id} ${String(version).slice(1)}`] : []
    })
    expect(created.toSorted()).toEqual([...contents.keys()].toSorted())
    expect(await verify()).toMatchObject({ ok: true })
  }
}

describe('prompts under any sequence of operations, users and crashes', () => {
  it('keep their versions, serve only published text, have unique places, and match the audit log', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(anyStep, { minLength: 4, maxLength: 24, size: 'max' }), async (steps) => {
        const fixture = await openFixture()
        try {
          await playSteps(fixture, steps)
        } finally {
          await fixture.close()
        }
      }),
      { numRuns: 12, interruptAfterTimeLimit: 60_000, endOnFailure: true },
    )
  }, 120_000)

  it('a version cannot be changed, even directly in the database', async () => {
    const fixture = await openFixture()
    try {
      const { prompts } = fixture.services()
      await prompts.create(fixture.log().ctx(), { key: 'k', env: 'dev', content: 'x', draft: false })
      const change = fixture
        .log()
        .db.write(({ q }) => q.updateTable('prompt_versions').set({ content: 'y' }).execute())
      await expect(change).rejects.toThrow('a version never changes')
    } finally {
      await fixture.close()
    }
  })
})
