import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pino } from 'pino'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import {
  createSessionActivity,
  type SessionActivity,
} from '../../../server/auth/sessions/session-activity.ts'
import { insertSession } from '../../../server/auth/sessions/sessions.store.ts'
import type { Db } from '../../../server/db/types.ts'
import { createFailedSignIns, type FailedSignIns } from '../../../server/features/auth/failed-sign-ins.ts'
import type { HistoryEvent } from '../../../server/history/history.ts'
import type { Context } from '../../../server/lib/context.ts'
import { everyWorkspace } from '../../../server/lib/scope.ts'
import { openTestStore, removeTestStore } from '../../support/store.ts'

const hour = 3_600_000
const began = Date.parse('2026-11-21T09:30:00.000Z')
const logger = pino({ level: 'silent' })
let nowMs = began
const clock = { now: () => new Date(nowMs) }
let folder: string
let db: Db

beforeEach(() => {
  nowMs = began
})
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'promptdeck-maintenance-'))
  db = await openTestStore({ folder })
})
afterAll(async () => {
  await db.close()
  await removeTestStore(folder)
  await rm(folder, { recursive: true, force: true })
})

describe('sessions', () => {
  let activity: SessionActivity
  let rechecked: string[]
  beforeEach(async () => {
    rechecked = []
    const liveAccess = {
      recheck: ({ sessionId = '' }: { sessionId?: string }) => void rechecked.push(sessionId),
      move: () => undefined,
    }
    activity = createSessionActivity({ db, deletion: clock, liveAccess, logger, intervalMs: 2 ** 30 })
    await db.write(async ({ q }) => {
      await q
        .insertInto('users')
        .values({
          id: 'u1',
          username: 'edda',
          username_folded: 'edda',
          password_hash: '-',
          password_is_default: 0,
          second_factor: 0,
          role: 'viewer',
          access: 'all',
          disabled: 0,
          must_change_password: 0,
          last_login_at: null,
          created_at: began,
          updated_at: began,
        })
        .execute()
    })
  })
  afterEach(async () => {
    await activity.close()
    await db.write(async ({ q }) => void (await q.deleteFrom('users').execute()))
  })

  const session = (id: string) => ({
    id,
    user_id: 'u1',
    created_at: began,
    last_seen_at: began,
    expires_at: began + 7 * 24 * hour,
    ip: '127.0.0.1',
    user_agent: '',
    device_id: null,
    method: 'password' as const,
  })
  const add = (...ids: string[]) =>
    db.write(async ({ q }) => {
      for (const id of ids) await insertSession(q, session(id))
    })
  const stored = () => db.read.selectFrom('sessions').select(['id', 'last_seen_at']).orderBy('id').execute()

  it('are written only on flush, never on reads', async () => {
    await add('a', 'b')
    const before = db.status().committed
    for (let i = 0; i < 100; i += 1) {
      nowMs += 1000
      activity.touch('a', clock.now())
    }
    expect(db.status().committed).toBe(before)
    expect(activity.lastSeenMs(session('a'))).toBe(nowMs)
    await activity.flush()
    expect(db.status().committed).toBe(before + 1)
    expect(await stored()).toEqual([
      { id: 'a', last_seen_at: nowMs },
      { id: 'b', last_seen_at: began },
    ])
    await activity.flush()
    expect(db.status().committed).toBe(before + 1)
  })

  it('are deleted after their end, active ones are not', async () => {
    await add('idle', 'used', 'old')
    nowMs += 8 * hour - 1
    activity.touch('used', clock.now())
    activity.touch('old', clock.now())
    expect(await activity.sweep()).toBe(0)
    nowMs += 1
    expect(await activity.sweep()).toBe(1)
    expect(rechecked).toEqual(['idle'])
    nowMs = began + 7 * 24 * hour
    activity.touch('used', clock.now())
    expect(await activity.sweep()).toBe(2)
    expect(await stored()).toEqual([])
  })

  it('are deleted in small transactions', async () => {
    const ids = Array.from({ length: 450 }, (_, i) => `s${i}`)
    await add(...ids)
    nowMs += 8 * hour
    const before = db.status().committed
    expect(await activity.sweep()).toBe(450)
    expect(db.status().committed - before).toBe(3)
    expect(rechecked.toSorted()).toEqual(ids.toSorted())
  })

  it('store their last use when the service stops', async () => {
    await add('a')
    nowMs += hour
    activity.touch('a', clock.now())
    await activity.close()
    expect(await stored()).toEqual([{ id: 'a', last_seen_at: nowMs }])
  })
})

describe('failed sign-ins', () => {
  let failed: FailedSignIns
  let rows: string[]
  let isStoreFailing: boolean
  beforeEach(() => {
    rows = []
    isStoreFailing = false
    const record = async (_: unknown, ctx: Context, event: HistoryEvent) => {
      if (isStoreFailing) throw new Error('the store failed')
      const minute = (ctx.now.getTime() - began) / 60_000
      rows.push(`${minute.toFixed(1)} ${event.key} ${ctx.ip} ${event.after?.['count']}`)
    }
    failed = createFailedSignIns({ db, history: { record }, clock, logger, tickMs: 2 ** 30 })
  })
  afterEach(() => failed.close())

  const fails = (username: string | null, ip = '10.0.0.1') =>
    failed.record(
      {
        actor: { kind: 'anonymous', id: null, name: 'anonymous', role: null, sessionId: null },
        scope: everyWorkspace,
        requestId: 'r',
        ip,
        userAgent: '',
        instanceId: null,
        now: clock.now(),
      },
      username,
    )
  const pass = async (minutes: number) => {
    nowMs += minutes * 60_000
    await failed.flush()
  }

  it('are one row per user, address and minute, and none is lost', async () => {
    for (let i = 0; i < 4; i += 1) await fails('edda')
    expect(rows).toEqual(['0.0 edda 10.0.0.1 1'])
    await pass(0.5)
    await fails('edda')
    expect(rows).toHaveLength(1)
    await pass(0.5)
    expect(rows.slice(1)).toEqual(['1.0 edda 10.0.0.1 4'])
    await fails('edda')
    await pass(0.5)
    expect(rows).toHaveLength(2)
    await pass(0.5)
    expect(rows.slice(2)).toEqual(['2.0 edda 10.0.0.1 1'])
  })

  it('start a new row after a minute without failures', async () => {
    await fails('edda')
    await pass(1)
    await pass(1)
    await fails('edda')
    expect(rows).toEqual(['0.0 edda 10.0.0.1 1', '2.0 edda 10.0.0.1 1'])
  })

  it('are separated by user and address; unknown names are combined', async () => {
    await fails('edda')
    await fails('egil')
    await fails('edda', '10.0.0.2')
    await fails(null)
    await fails(null)
    expect(rows).toEqual([
      '0.0 edda 10.0.0.1 1',
      '0.0 egil 10.0.0.1 1',
      '0.0 edda 10.0.0.2 1',
      '0.0 null 10.0.0.1 1',
    ])
  })

  it('that could not be stored are counted again', async () => {
    for (let i = 0; i < 4; i += 1) await fails('edda')
    isStoreFailing = true
    await expect(pass(1)).rejects.toThrow('the store failed')
    isStoreFailing = false
    await fails('edda')
    await pass(1)
    expect(rows).toEqual(['0.0 edda 10.0.0.1 1', '2.0 edda 10.0.0.1 4'])
  })

  it('that were only counted are stored when the service stops', async () => {
    for (let i = 0; i < 3; i += 1) await fails('edda')
    await failed.close()
    expect(rows).toEqual(['0.0 edda 10.0.0.1 1', '0.0 edda 10.0.0.1 2'])
  })
})
