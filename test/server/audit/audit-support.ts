import { cp, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'kysely'
import { afterAll, afterEach, beforeAll } from 'vitest'
import { openDb } from '../../../server/db/engines/sqljs/open.ts'
import type { Db, Query } from '../../../server/db/types.ts'
import type { RestoreNotice } from '../../../server/history/anchor.ts'
import { openChainKeys, readChainKeys } from '../../../server/history/chain/chain-key.ts'
import { readHead } from '../../../server/history/chain/head-file.ts'
import { createHistory, type OpenHistory } from '../../../server/history/create-history.ts'
import { type Announcement, createBus } from '../../../server/history/events/bus.ts'
import type { HistoryEvent } from '../../../server/history/history.ts'
import { verifyChain } from '../../../server/history/verify/verify.ts'
import type { Actor, Context } from '../../../server/lib/context.ts'
import { scopeOf } from '../../../server/lib/scope.ts'
import { copyEmptyStore } from '../../support/empty-store/copy.ts'

export const quiet = {
  debug: () => undefined,
  info: () => undefined,
  warn: () => undefined,
  error: () => undefined,
}

/** A clock that only the test advances. */
export function manualClock(start = '2026-11-21T09:00:00.000Z') {
  let now = new Date(start)
  return {
    now: () => now,
    advance(ms: number) {
      now = new Date(now.getTime() + ms)
    },
  }
}

export type ManualClock = ReturnType<typeof manualClock>

export type Log = {
  readonly dataDir: string
  readonly db: Db
  readonly history: OpenHistory
  readonly announced: Announcement[]
  readonly clock: ManualClock
  ctx(overrides?: Partial<Context>): Context
  record(event?: Partial<HistoryEvent>, ctx?: Context): Promise<void>
  verify(): ReturnType<typeof verifyChain>
  close(): Promise<void>
}

export const newDataDir = () => mkdtemp(join(tmpdir(), 'promptdeck-audit-'))
export const removeDataDir = (dataDir: string) => rm(dataDir, { recursive: true, force: true })

export async function copyDataDir(dataDir: string): Promise<string> {
  const copy = await newDataDir()
  await cp(dataDir, copy, { recursive: true })
  return copy
}

export async function openStore(dataDir: string) {
  const folder = join(dataDir, 'store')
  await copyEmptyStore(folder)
  return openDb({ folder, maxStoreBytes: 4 * 1024 * 1024, logger: quiet })
}

/** Opens the log with a real store, without HTTP. */
export async function openLog(
  dataDir: string,
  options: { restored?: RestoreNotice; onRestoreStored?: () => void; clock?: ManualClock } = {},
): Promise<Log> {
  const clock = options.clock ?? manualClock()
  const store = await openStore(dataDir)
  const { db } = store
  const bus = createBus()
  const announced: Announcement[] = []
  bus.listen((announcement) => announced.push(announcement))
  let ids = 0
  const start = async () =>
    createHistory({
      db,
      bus,
      dataDir,
      chainKeys: await openChainKeys(dataDir),
      restored: options.restored ?? null,
      onRestoreStored: options.onRestoreStored ?? (() => undefined),
      clock,
      newId: () => `id-${++ids}`,
      logger: quiet,
      headDelayMs: 5,
    })
  const history = await start().catch(async (error: unknown) => {
    await db.close()
    throw error
  })
  const edda: Actor = { kind: 'user', id: 'u-1', name: 'edda', role: 'admin', sessionId: 's-1' }
  const ctx = (overrides: Partial<Context> = {}): Context => ({
    actor: edda,
    scope: scopeOf(overrides.actor ?? edda, null),
    requestId: 'req_1',
    ip: '127.0.0.1',
    userAgent: 'vitest',
    instanceId: null,
    now: clock.now(),
    ...overrides,
  })
  let isOpen = true
  return {
    dataDir,
    db,
    history,
    announced,
    clock,
    ctx,
    async record(event = {}, context = ctx()) {
      clock.advance(1000)
      await db.write((tx) => history.record(tx, { ...context, now: clock.now() }, { ...sample, ...event }))
    },
    verify: async () => {
      const keys = await readChainKeys(dataDir)
      return verifyChain({ q: db.read, keys, head: history.head, now: clock.now() })
    },
    async close() {
      if (!isOpen) return
      isOpen = false
      await history.close()
      await db.close()
    },
  }
}

const sample: HistoryEvent = {
  action: 'update',
  resource: 'workspace',
  resourceId: 'w-1',
  key: 'team-a',
  workspaceId: 'w-1',
  summary: 'Renamed Team A to Team B',
  before: { name: 'Team A', slug: 'team-a' },
  after: { name: 'Team B', slug: 'team-a' },
}

/** Edits the table directly, like an attacker without the key. */
export async function edit(dataDir: string, change: (q: Query) => Promise<unknown>): Promise<void> {
  const { db } = await openStore(dataDir)
  await db.write(async (tx) => {
    await change(tx.q)
  })
  await db.close()
}

/** Returns the result of the offline verification, before a start could change anything. */
export async function verify(dataDir: string) {
  const { db } = await openStore(dataDir)
  try {
    const keys = await readChainKeys(dataDir)
    return await verifyChain({ q: db.read, keys, head: () => readHead(dataDir), now: new Date() })
  } finally {
    await db.close()
  }
}

/** Returns a function that runs a statement with a query. */
export const run = (statement: string) => (q: Query) => sql.raw(statement).execute(q)

/** Number of entries in the log that `provideLogs` copies. */
export const entries = 12

/** Provides copies of one log, and removes them after the tests of the file. Opened logs are closed after each test. */
export function provideLogs() {
  const folders: string[] = []
  const opened: Log[] = []
  let original = ''
  beforeAll(async () => {
    original = await newDataDir()
    folders.push(original)
    const log = await openLog(original)
    for (let i = 1; i <= entries; i += 1)
      await log.record({ summary: `Change ${i}`, after: { name: `n${i}` } })
    await log.close()
  })
  afterEach(async () => {
    for (const log of opened.splice(0)) await log.close()
  })
  afterAll(() => Promise.all(folders.map(removeDataDir)))
  return {
    async newFolder(): Promise<string> {
      const folder = await newDataDir()
      folders.push(folder)
      return folder
    },
    async copy(from = original): Promise<string> {
      const folder = await copyDataDir(from)
      folders.push(folder)
      return folder
    },
    async open(...args: Parameters<typeof openLog>): Promise<Log> {
      const log = await openLog(...args)
      opened.push(log)
      return log
    },
  }
}
