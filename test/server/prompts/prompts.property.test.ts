import { cp } from 'node:fs/promises'
import { basename } from 'node:path'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createPromptsService } from '../../../server/features/prompts/prompts.service.ts'
import { createSdkService } from '../../../server/features/prompts/served/sdk.service.ts'
import { diffLines } from '../../../server/features/prompts/versions/line-diff.ts'
import { createVersionsService } from '../../../server/features/prompts/versions/versions.service.ts'
import { newUuid } from '../../../server/lib/ids.ts'
import { type Log, newDataDir, openLog, removeDataDir } from '../audit/audit-support.ts'

const envs = ['dev', 'test', 'prod'] as const
const actors = ['ann', 'bob', 'cleo']

const step = fc.record({
  what: fc.constantFrom(
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
    'together',
  ),
  actor: fc.nat(actors.length - 1),
  key: fc.nat(1),
  env: fc.nat(envs.length - 1),
  to: fc.nat(envs.length - 1),
  version: fc.integer({ min: 1, max: 4 }),
})
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never

/** True for files that remain after a crash: not the lock, not an unfinished temporary file. */
const isLeft = (name: string) => !['owner.json', 'run'].includes(basename(name)) && !name.endsWith('.tmp')

/** Opens prompts on a real store in a folder that can simulate a crash at any time. */
async function openWorld() {
  const folders: string[] = [await newDataDir()]
  let log: Log = await openLog(folders[0] ?? '')
  const left: Log[] = []
  const at = { created_at: 0, updated_at: 0, description: '', name_folded: '', protected_envs: '' }
  await log.db.write(({ q }) =>
    q
      .insertInto('workspaces')
      .values({ id: 'default', slug: 'default', name: 'D', ...at })
      .execute(),
  )
  const servicesOf = ({ db, history }: Log) => ({
    prompts: createPromptsService({ db, history, newId: newUuid, usage: () => () => 0 }),
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
      await cp(log.dataDir, copy, { recursive: true, filter: isLeft })
      folders.push(copy)
      left.push(log)
      log = await openLog(copy)
      services = servicesOf(log)
    },
    async close() {
      for (const one of [...left, log]) await one.close()
      for (const folder of folders) await removeDataDir(folder)
    },
  }
}
type World = Awaited<ReturnType<typeof openWorld>>

async function play(world: World, steps: readonly Step[]): Promise<void> {
  /** Content of each version when first read; it must never differ. */
  const seen = new Map<string, string>()
  let done = 0
  let texts = 0

  const idOf = async (one: Step, isDeleted = false): Promise<string> => {
    const q = world.log().db.read.selectFrom('prompts').select('id').where('key', '=', `k${one.key}`)
    const rows = await q
      .where('env', '=', envs[one.env] ?? 'dev')
      .where('deleted_at', isDeleted ? 'is not' : 'is', null)
      .execute()
    return rows[0]?.id ?? 'none'
  }
  const tryIt = async (work: () => Promise<unknown>): Promise<void> => {
    try {
      await work()
      done += 1
    } catch (error) {
      // Refused for a documented reason, so nothing may have changed. Any other error is a failure.
      expect(error).toMatchObject({ name: 'Problem', status: expect.any(Number) })
      expect(Reflect.get(Object(error), 'status')).toBeLessThan(500)
    }
  }
  const run = async (one: Step): Promise<void> => {
    const { prompts, versions } = world.services()
    const log = world.log()
    const name = actors[one.actor] ?? 'ann'
    const ctx = log.ctx({
      actor: { kind: 'user', id: name, name, role: 'editor', sessionId: null },
      now: log.clock.now(),
    })
    const [key, env, to] = [`k${one.key}`, envs[one.env] ?? 'dev', envs[one.to] ?? 'dev']
    texts += 1
    const content = `${name} ${texts} {{v${texts % 3}}}`
    const acts: Record<string, () => Promise<unknown>> = {
      create: () => prompts.create(ctx, { key, env, content, draft: false }),
      draft: () => prompts.create(ctx, { key, env, content, draft: true }),
      edit: async () => prompts.update(ctx, await idOf(one), { content }, null),
      publish: async () => versions.publish(ctx, await idOf(one), undefined, null),
      rollback: async () => versions.rollback(ctx, await idOf(one), { version: `v${one.version}` }, null),
      promote: async () => versions.promote(ctx, await idOf(one), { env: to }, null),
      delete: async () => prompts.remove(ctx, await idOf(one), null),
      restore: async () => prompts.restore(ctx, await idOf(one, true), null),
    }
    const act = acts[one.what]
    if (act !== undefined) await tryIt(act)
  }

  for (const one of steps) {
    world.log().clock.advance(1000)
    if (one.what === 'crash') await world.crash()
    else if (one.what === 'together')
      await Promise.all(
        (['edit', 'publish', 'promote', 'publish'] as const).map((what) => run({ ...one, what })),
      )
    else await run(one)
    await check()
  }

  async function check(): Promise<void> {
    const { db, verify } = world.log()
    const prompts = await db.read.selectFrom('prompts').selectAll().execute()
    const versions = await db.read.selectFrom('prompt_versions').selectAll().orderBy('version').execute()
    const drafts = await db.read.selectFrom('prompt_drafts').selectAll().execute()
    const live = prompts.filter((row) => row.deleted_at === null)
    expect(new Set(live.map((row) => `${row.workspace_id} ${row.key} ${row.env}`)).size).toBe(live.length)
    for (const row of prompts) {
      const own = versions.filter((version) => version.prompt_id === row.id)
      expect(own.map(({ version }) => version)).toEqual(Array.from({ length: row.version }, (_, n) => n + 1))
      expect(drafts.some((draft) => draft.prompt_id === row.id)).toBe(row.has_draft === 1)
      expect(row.version > 0 || row.has_draft === 1).toBe(true)
      const served = world
        .services()
        .sdk.prompt(world.log().ctx(), row.key, { env: row.env, workspace: 'default' })
      const newest = own.at(-1)
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
      expect(seen.get(name) ?? content).toBe(content)
      seen.set(name, content)
    }
    // No version is missing, and each has the one entry that created it.
    expect(seen.size).toBe(versions.length)
    const entries = await db.read.selectFrom('audit').selectAll().where('resource', '=', 'prompt').execute()
    expect(entries).toHaveLength(done)
    const made = entries.flatMap(({ after, action, resource_id }) => {
      const { version } = JSON.parse(after ?? '{}')
      const makes =
        ['publish', 'rollback', 'promote'].includes(action) || (action === 'create' && version !== null)
      return makes ? [`${resource_id} ${String(version).slice(1)}`] : []
    })
    expect(made.toSorted()).toEqual([...seen.keys()].toSorted())
    expect(await verify()).toMatchObject({ ok: true })
  }
}

describe('prompts under any sequence of operations, users and crashes', () => {
  it('keep their versions, serve only published text, have unique places, and match the audit log', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 4, maxLength: 24, size: 'max' }), async (steps) => {
        const world = await openWorld()
        try {
          await play(world, steps)
        } finally {
          await world.close()
        }
      }),
      { numRuns: 12, interruptAfterTimeLimit: 60_000, endOnFailure: true },
    )
  }, 120_000)

  it('a version cannot be changed, even directly in the database', async () => {
    const world = await openWorld()
    try {
      const { prompts } = world.services()
      await prompts.create(world.log().ctx(), { key: 'k', env: 'dev', content: 'x', draft: false })
      const change = world
        .log()
        .db.write(({ q }) => q.updateTable('prompt_versions').set({ content: 'y' }).execute())
      await expect(change).rejects.toThrow('a version never changes')
    } finally {
      await world.close()
    }
  })
})
