import { generateKeySync } from 'node:crypto'
import { mkdir, readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createSessionActivity } from '../../../server/auth/sessions/session-activity.ts'
import { createPromptsService } from '../../../server/features/prompts/prompts.service.ts'
import { createTrash } from '../../../server/features/prompts/trash/trash.service.ts'
import { startExecutionRetention } from '../../../server/features/workflows/executions/retention.ts'
import { createIdempotency } from '../../../server/http/idempotency/idempotency.ts'
import { createSharedResults } from '../../../server/lib/async/shared-results.ts'
import { newUuid } from '../../../server/lib/ids.ts'
import { createLogger } from '../../../server/lib/logger.ts'
import { type Log, newDataDir, openLog, removeDataDir } from '../audit/audit-support.ts'
import { day, noon, openRunLog } from '../runs/runs-support.ts'

/** The clock that all purges use; null while the clock is not trusted. */
function deletionAt(start: number) {
  const state: { now: Date | null } = { now: new Date(start) }
  return { state, deletion: { now: () => state.now } }
}

describe('while deletion is paused', () => {
  let dataDir: string
  let log: Log
  beforeEach(async () => {
    dataDir = await newDataDir()
    log = await openLog(dataDir)
    const defaults = { created_at: 0, updated_at: 0, description: '', name_folded: '', protected_envs: '' }
    await log.db.write(({ q }) =>
      q
        .insertInto('workspaces')
        .values({ id: 'default', slug: 'default', name: 'D', ...defaults })
        .execute(),
    )
  })
  afterEach(async () => {
    await log.close()
    await removeDataDir(dataDir)
  })

  it('runs, their statistics and captured payloads remain', async () => {
    const runs = await openRunLog()
    try {
      const payloads = join(runs.folder, 'payloads')
      await runs.add()
      await mkdir(payloads, { recursive: true })
      await writeFile(join(payloads, '2020-01-01.log'), 'old\n')
      runs.deletionPaused = true
      runs.now = noon + 4000 * day
      expect(await runs.runs.maintain()).toEqual({ removed: 0 })
      expect((await runs.runs.list(runs.ctx(), { limit: 10 })).total).toBe(1)
      expect(await readdir(payloads)).toContain('2020-01-01.log')
      runs.deletionPaused = false
      expect(await runs.runs.maintain()).toEqual({ removed: 1 })
      expect(await readdir(payloads)).not.toContain('2020-01-01.log')
    } finally {
      await runs.close()
    }
  })

  it('prompts in the trash remain', async () => {
    const { db, history } = log
    const { state, deletion } = deletionAt(noon)
    const prompts = createPromptsService({
      db,
      history,
      newId: newUuid,
      share: () => createSharedResults(() => 0, 0),
      usage: () => () => 0,
    })
    const trash = createTrash({ db, history, deletion, newId: newUuid })
    const old = await prompts.create(log.ctx(), { key: 'old', env: 'dev', content: 'x', draft: false })
    await prompts.remove(log.ctx(), old.id, null)
    state.now = null
    expect(await trash.deleteExpired()).toEqual({ removed: 0 })
    state.now = new Date(noon + 400 * day)
    expect(await trash.deleteExpired()).toEqual({ removed: 1 })
  })

  it('expired sessions remain', async () => {
    const { db } = log
    const { state, deletion } = deletionAt(noon)
    const user = { id: 'u-1', username: 'edda', username_folded: 'edda' }
    await db.write(async ({ q }) => {
      await q
        .insertInto('users')
        .values({
          ...user,
          password_hash: 'x',
          password_is_default: 0,
          second_factor: 0,
          role: 'editor',
          access: 'all',
          disabled: 0,
          must_change_password: 0,
          last_login_at: null,
          created_at: noon,
          updated_at: noon,
        })
        .execute()
      await q
        .insertInto('sessions')
        .values({
          id: 's-1',
          user_id: 'u-1',
          created_at: noon,
          last_seen_at: noon,
          expires_at: noon + day,
          ip: '',
          user_agent: '',
          device_id: null,
          method: 'password',
        })
        .execute()
    })
    const activity = createSessionActivity({
      db,
      deletion,
      liveAccess: { recheck: () => undefined, move: () => undefined },
      logger: createLogger({ logLevel: 'silent' }),
      intervalMs: 2 ** 30,
    })
    state.now = null
    expect(await activity.sweep()).toBe(0)
    state.now = new Date(noon + 400 * day)
    expect(await activity.sweep()).toBe(1)
    await activity.close()
  })

  it('executions remain', async () => {
    const { db } = log
    const { state, deletion } = deletionAt(noon)
    const count = async () => (await db.read.selectFrom('workflow_runs').select('id').execute()).length
    await db.write(async ({ q }) => {
      await q
        .insertInto('workflow_runs')
        .values({
          id: 'x-1',
          workflow_id: 'w-1',
          workflow_key: 'flow',
          workspace_id: 'default',
          version: 1,
          status: 'ok',
          error: null,
          failed_step: null,
          user: 'edda',
          user_id: null,
          capture: 'off',
          step_count: 0,
          resumed_from: null,
          resumed_step: null,
          request_id: null,
          created_at: noon,
          finished_at: noon,
          latency_us: 1,
          instance_id: null,
          payload_day: null,
          payload_offset: null,
          payload_length: null,
        })
        .execute()
    })
    const once = async () => {
      const errors: unknown[] = []
      const onError = (error: unknown) => void errors.push(error)
      // It runs once at its start.
      const retention = startExecutionRetention({ db, deletion, days: () => 90, onError })
      await retention.idle()
      await retention.close()
      expect(errors).toEqual([])
    }
    state.now = null
    await once()
    expect(await count()).toBe(1)
    state.now = new Date(noon + 400 * day)
    await once()
    expect(await count()).toBe(0)
  })

  it('idempotency keys remain', async () => {
    const { db } = log
    const { state, deletion } = deletionAt(noon)
    const idempotency = createIdempotency({ db, deletion, bodyKey: generateKeySync('hmac', { length: 256 }) })
    const keys = async () => {
      const rows = await db.read.selectFrom('idempotency_keys').select('key').orderBy('key').execute()
      return rows.map((row) => row.key)
    }
    const use = (key: string) =>
      idempotency.once(log.ctx(), { name: 'route', key, isPrivate: false, left: null }, {}, async () => ({
        status: 201,
        json: '{}',
      }))
    await use('a')
    state.now = null
    await use('b')
    expect(await keys()).toEqual(['a', 'b'])
    state.now = new Date(noon + 400 * day)
    await use('c')
    expect(await keys()).toEqual(['c'])
  })
})
