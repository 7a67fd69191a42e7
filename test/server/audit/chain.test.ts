import { readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import fc from 'fast-check'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import type { Query } from '../../../server/db/types.ts'
import { setDiskHook } from '../../../server/disk/hook.ts'
import { readChainKeys } from '../../../server/history/chain/chain-key.ts'
import { headFile } from '../../../server/history/chain/head-file.ts'
import { createChainVerifier } from '../../../server/history/verify/chain-verifier.ts'
import {
  edit,
  entries,
  type Log,
  openLog,
  openStore,
  provideLogs,
  quiet,
  run,
  verify,
} from './audit-support.ts'

const { newFolder, copy, open } = provideLogs()

const runAll =
  (...statements: string[]) =>
  async (q: Query) => {
    for (const statement of statements) await run(statement)(q)
  }

const columns =
  'created_at, actor, actor_id, actor_kind, action, resource, resource_id, key, workspace_id, summary, ip, request_id, before, after, prev_hash, hash'

describe('an unmodified log', () => {
  it('verifies', async () => {
    expect(await verify(await copy())).toEqual({
      ok: true,
      status: 'verified',
      unverifiable_before: null,
      entries,
      head: { id: entries, hash: expect.stringMatching(/^[0-9a-f]{64}$/) },
      first_broken_id: null,
      reason: null,
    })
  })

  it('verifies when it is empty', async () => {
    const log = await open(await newFolder())
    expect(await log.verify()).toEqual({
      ok: true,
      status: 'verified',
      unverifiable_before: null,
      entries: 0,
      head: null,
      first_broken_id: null,
      reason: null,
    })
  })

  it('verifies when the journal recovered rows that are missing in the head file', async () => {
    const folder = await copy()
    const stale = await readFile(headFile(folder), 'utf8')
    const log = await openLog(folder)
    await log.record()
    await log.close()
    await writeFile(headFile(folder), stale)
    expect(await verify(folder)).toMatchObject({ ok: true, entries: entries + 1 })
  })
})

type Tampering = readonly [what: string, statements: readonly string[], firstBroken: number, reason: RegExp]

const swap = (a: number, b: number) => [
  `UPDATE audit SET id = -1 WHERE id = ${a}`,
  `UPDATE audit SET id = ${a} WHERE id = ${b}`,
  `UPDATE audit SET id = ${b} WHERE id = -1`,
]
const shiftUp = (from: number) => [
  `UPDATE audit SET id = -id - 1 WHERE id >= ${from}`,
  `UPDATE audit SET id = -id WHERE id < 0`,
]
const shiftDown = (from: number) => [
  `UPDATE audit SET id = -id + 1 WHERE id >= ${from}`,
  `UPDATE audit SET id = -id WHERE id < 0`,
]

const tamperings: readonly Tampering[] = [
  [
    'the summary of an entry was edited',
    [`UPDATE audit SET summary = 'x' WHERE id = 5`],
    5,
    /Entry 5 was changed/,
  ],
  ['the actor was edited', [`UPDATE audit SET actor = 'mallory' WHERE id = 1`], 1, /Entry 1 was changed/],
  [
    'the time was edited',
    [`UPDATE audit SET created_at = created_at + 1 WHERE id = 7`],
    7,
    /Entry 7 was changed/,
  ],
  ['the actor id became null', ['UPDATE audit SET actor_id = NULL WHERE id = 3'], 3, /Entry 3 was changed/],
  ['before was edited', [`UPDATE audit SET before = '{}' WHERE id = 4`], 4, /Entry 4 was changed/],
  ['after was edited', [`UPDATE audit SET after = '{}' WHERE id = 4`], 4, /Entry 4 was changed/],
  ['the ip was edited', [`UPDATE audit SET ip = '10.0.0.1' WHERE id = 12`], 12, /Entry 12 was changed/],
  [
    'text moved between two columns',
    ['UPDATE audit SET key = summary, summary = key WHERE id = 6'],
    6,
    /Entry 6/,
  ],
  ['the hash was edited', [`UPDATE audit SET hash = prev_hash WHERE id = 8`], 8, /Entry 8/],
  [
    'the newest entry was edited',
    [`UPDATE audit SET action = 'login' WHERE id = 12`],
    12,
    /Entry 12 was changed/,
  ],
  ['one entry was deleted', ['DELETE FROM audit WHERE id = 6'], 6, /Entry 6 was deleted/],
  ['the first entry was deleted', ['DELETE FROM audit WHERE id = 1'], 1, /Entry 1 was deleted/],
  [
    'several entries were deleted',
    ['DELETE FROM audit WHERE id IN (4, 5, 6)'],
    4,
    /Entries 4 to 6 were deleted/,
  ],
  [
    'an entry was deleted and the rest renumbered',
    ['DELETE FROM audit WHERE id = 6', ...shiftDown(7)],
    6,
    /Entry 6 was deleted and later ones renumbered: .* entry 7/,
  ],
  [
    'an entry was inserted and the rest renumbered',
    [
      ...shiftUp(6),
      `INSERT INTO audit (id, ${columns}) SELECT 6, ${columns.replace('summary', `'forged'`)} FROM audit WHERE id = 7`,
    ],
    6,
    /Entry 6 was inserted: .* is now at 7/,
  ],
  [
    'an entry was added at the end',
    [
      `INSERT INTO audit (id, ${columns}) SELECT 13, ${columns.replace('prev_hash, hash', `hash, '${'ab'.repeat(32)}'`)} FROM audit WHERE id = 12`,
    ],
    13,
    /Entry 13 .* was not written by this service/,
  ],
  [
    'a copy was added at the end',
    [`INSERT INTO audit (id, ${columns}) SELECT 13, ${columns} FROM audit WHERE id = 12`],
    13,
    /Entry 13/,
  ],
  ['two adjacent entries were swapped', swap(5, 6), 5, /The order was changed: entry 5 .* entry 6.* at 6/],
  ['two distant entries were swapped', swap(3, 11), 3, /The order was changed: entry 3 .* entry 11.* at 11/],
  [
    'the newest entry was removed',
    ['DELETE FROM audit WHERE id = 12'],
    12,
    /Entry 12 was removed from the end/,
  ],
  [
    'the newest entries were removed',
    ['DELETE FROM audit WHERE id > 7'],
    8,
    /Entries 8 to 12 were removed from the end/,
  ],
  ['all entries were removed', ['DELETE FROM audit'], 1, /Entries 1 to 12 were removed from the end/],
]

describe('verification detects', () => {
  let log: Log
  const change = (...statements: readonly string[]) =>
    log.db.write(async (tx) => {
      await runAll(...statements)(tx.q)
    })
  beforeAll(async () => {
    log = await openLog(await copy())
    await change('CREATE TABLE original AS SELECT * FROM audit')
  })
  afterAll(() => log.close())

  it.each(tamperings)('%s', async (_, statements, firstBroken, reason) => {
    await change(...statements)
    const report = await log.verify()
    await change('DELETE FROM audit', 'INSERT INTO audit SELECT * FROM original')
    expect(report).toMatchObject({
      ok: false,
      first_broken_id: firstBroken,
      reason: expect.stringMatching(reason),
    })
    expect(await log.verify()).toMatchObject({ ok: true })
  })

  it('a table that was rewritten with another key', async () => {
    const folder = await copy()
    const forged = await newFolder()
    const log = await openLog(forged)
    for (let i = 1; i <= entries; i += 1) await log.record({ summary: `Nothing happened ${i}` })
    const rows = await log.db.read.selectFrom('audit').selectAll().execute()
    await log.close()
    await edit(folder, async (q) => {
      await q.deleteFrom('audit').execute()
      for (const row of rows) await q.insertInto('audit').values(row).execute()
    })
    expect(await verify(folder)).toMatchObject({
      ok: false,
      first_broken_id: 1,
      reason: expect.stringMatching(/table was rewritten without its key/),
    })
  })

  it('a truncated log whose head file was reset to match the table', async () => {
    const folder = await copy()
    await edit(folder, run('DELETE FROM audit WHERE id > 7'))
    const { db } = await openStore(folder)
    const last = await db.read
      .selectFrom('audit')
      .select(['id', 'hash'])
      .where('id', '=', 7)
      .executeTakeFirstOrThrow()
    await db.close()
    const head = JSON.parse(await readFile(headFile(folder), 'utf8'))
    await writeFile(headFile(folder), JSON.stringify({ ...head, ...last }))
    expect(await verify(folder)).toMatchObject({
      ok: false,
      reason: expect.stringMatching(/is not signed by this service/),
    })
  })

  it('a truncated log without its head file', async () => {
    const folder = await copy()
    await edit(folder, run('DELETE FROM audit WHERE id > 7'))
    await rm(headFile(folder))
    expect(await verify(folder)).toMatchObject({ ok: false, reason: expect.stringMatching(/was missing/) })
  })

  it('a damaged head file', async () => {
    const folder = await copy()
    await writeFile(headFile(folder), '{"id": 12')
    expect(await verify(folder)).toMatchObject({
      ok: false,
      reason: expect.stringMatching(/audit-head.json/),
    })
  })

  it('a truncated log, even after the service appended more entries', async () => {
    const folder = await copy()
    await edit(folder, run('DELETE FROM audit WHERE id > 7'))
    for (let start = 0; start < 2; start += 1) {
      const log = await openLog(folder)
      for (let i = 0; i < 8; i += 1) await log.record()
      expect(await log.verify()).toMatchObject({
        ok: false,
        first_broken_id: 8,
        reason: expect.stringMatching(/Entries 8 to 12 were removed from the end/),
      })
      await log.close()
    }
    expect(await verify(folder)).toMatchObject({ ok: false, first_broken_id: 8 })
  })

  it('any change of a single value', async () => {
    const names = [
      ...columns.split(', ').filter((column) => column !== 'prev_hash' && column !== 'hash'),
      'prev_hash',
      'hash',
    ]
    const edits = fc.record({
      id: fc.integer({ min: 1, max: entries }),
      column: fc.constantFrom(...names),
      text: fc.stringMatching(/^[a-z0-9]{1,8}$/),
    })
    await fc.assert(
      fc.asyncProperty(edits, async ({ id, column, text }) => {
        const value = column === 'created_at' ? text.length : text
        const ref = sql.ref(column)
        const before = await sql<{
          value: string | number | null
        }>`select ${ref} as value from audit where id = ${id}`.execute(log.db.read)
        const original = before.rows[0]?.value ?? null
        const set = (to: string | number | null) =>
          log.db.write(async (tx) => {
            await sql`update audit set ${ref} = ${to} where id = ${id}`.execute(tx.q)
          })
        await set(value)
        const report = await log.verify()
        await set(original)
        expect(report).toMatchObject({ ok: false, first_broken_id: id })
      }),
      { numRuns: 60 },
    )
    expect(await log.verify()).toMatchObject({ ok: true })
  })
})

describe('after a restore', () => {
  const notice = { file: '/backups/of/mine/backup-1.sqlite', at: '2026-11-21T10:00:00.000Z' }
  const lastEntry = (log: Log) =>
    log.db.read.selectFrom('audit').selectAll().orderBy('id', 'desc').limit(1).executeTakeFirstOrThrow()

  it('the log ends with a system entry with the heads before and after the restore', async () => {
    const folder = await copy()
    const before = JSON.parse(await readFile(headFile(folder), 'utf8'))
    await edit(folder, run('DELETE FROM audit WHERE id > 7'))
    const log = await open(folder, { restored: notice })
    const entry = await lastEntry(log)
    expect(entry).toMatchObject({
      id: 8,
      actor: 'system',
      actor_kind: 'system',
      action: 'restore',
      resource: 'backup',
      key: 'backup-1.sqlite',
      summary:
        'Restored the store from backup-1.sqlite, whose log ends at entry 7. Entries 8 to 12 were discarded.',
    })
    expect(JSON.parse(entry.before ?? '')).toEqual({ head: { id: 12, hash: before.hash } })
    expect(JSON.parse(entry.after ?? '')).toEqual({
      head: { id: 7, hash: entry.prev_hash },
      sealed_with: 'this key',
      file: 'backup-1.sqlite',
      restored_at: notice.at,
    })
    expect(JSON.stringify(entry)).not.toContain('/backups')
    expect(await log.verify()).toMatchObject({ ok: true, entries: 8, reason: null })
  })

  it('tampering with the restored entries is still detected', async () => {
    const folder = await copy()
    await (await openLog(folder, { restored: notice })).close()
    await edit(folder, run(`UPDATE audit SET summary = 'x' WHERE id = 3`))
    expect(await verify(folder)).toMatchObject({ ok: false, first_broken_id: 3 })
  })

  it('a chain of another installation starts at the entry; changes before it are detected', async () => {
    const source = await copy()
    await rm(join(source, 'keys'), { recursive: true })
    await rm(headFile(source))
    const log = await openLog(source, { restored: notice })
    await log.record()
    const report = await log.verify()
    expect(report).toMatchObject({
      ok: false,
      status: 'unverifiable',
      unverifiable_before: entries + 1,
      entries: entries + 2,
      first_broken_id: null,
    })
    expect(report.reason).toMatch(/Entries 1 to 12 were signed with another key.*another installation/)
    await log.close()
    await edit(source, run(`UPDATE audit SET summary = 'x' WHERE id = 3`))
    expect(await verify(source)).toMatchObject({
      ok: false,
      reason: expect.stringMatching(/An entry before 13/),
    })
  })

  it('the entry is written once, even if the process dies before it deletes the restore notice', async () => {
    const folder = await copy()
    for (let start = 0; start < 2; start += 1) await (await openLog(folder, { restored: notice })).close()
    expect(await verify(folder)).toMatchObject({ ok: true, entries: entries + 1 })
  })

  it('the notice remains while the disk is full, so the old head is not reported as tampering', async () => {
    const folder = await copy()
    await edit(folder, run('DELETE FROM audit WHERE id > 7'))
    const stored = vi.fn<() => void>()
    const restored = { restored: notice, onRestoreStored: stored }
    setDiskHook({
      before({ call, path }) {
        if (call !== 'open' || !path.startsWith(headFile(folder)) || !path.endsWith('.tmp')) return
        throw Object.assign(new Error('no space left on device'), { code: 'ENOSPC' })
      },
    })
    try {
      const full = await open(folder, restored)
      await full.record()
      expect(await full.verify()).toMatchObject({ ok: true, entries: 9, reason: null })
      await full.close()
    } finally {
      setDiskHook(undefined)
    }
    expect(stored).not.toHaveBeenCalled()

    const log = await open(folder, restored)
    expect(stored).toHaveBeenCalledOnce()
    expect(await log.verify()).toMatchObject({ ok: true, entries: 9, reason: null })
    await log.close()
    expect(await verify(folder)).toMatchObject({ ok: true, entries: 9 })
  })

  it('no sequence number is used again', async () => {
    const folder = await copy()
    const seq = JSON.parse(await readFile(headFile(folder), 'utf8')).live_seq
    await edit(folder, run(`UPDATE meta SET value = 3 WHERE key = 'live_seq'`))
    const log = await open(folder, { restored: notice })
    await log.record()
    const frames = log.announced.flatMap((event) => (event.kind === 'frame' ? [event.frame.seq] : []))
    expect(Math.min(...frames)).toBeGreaterThan(seq + 5000)
  })
})

describe('the head file', () => {
  it('is updated within a second, and contains the newest entry after a close', async () => {
    const folder = await copy()
    const log = await openLog(folder)
    await log.record()
    const newest = await log.db.read
      .selectFrom('audit')
      .select('hash')
      .where('id', '=', entries + 1)
      .executeTakeFirst()
    await expect
      .poll(async () => JSON.parse(await readFile(headFile(folder), 'utf8')).hash, {
        timeout: 1000,
        interval: 20,
      })
      .toBe(newest?.hash)
    await log.record()
    await log.close()
    expect(JSON.parse(await readFile(headFile(folder), 'utf8'))).toMatchObject({ id: entries + 2 })
  })
})

describe('the state of the chain', () => {
  it('is unknown at first, then the result of the last verification', async () => {
    const folder = await copy()
    const log = await open(folder)
    const keys = await readChainKeys(folder)
    const verifier = createChainVerifier({
      db: log.db,
      head: log.history.head,
      keys,
      clock: log.clock,
      logger: quiet,
    })
    expect(verifier.state()).toEqual({
      ok: null,
      status: null,
      unverifiable_before: null,
      verified_at: null,
    })
    await verifier.verify()
    expect(verifier.state()).toEqual({
      ok: true,
      status: 'verified',
      unverifiable_before: null,
      verified_at: log.clock.now().toISOString(),
    })
    await log.db.write(async (tx) => {
      await run(`UPDATE audit SET summary = 'x' WHERE id = 2`)(tx.q)
    })
    log.clock.advance(60_000)
    expect(await verifier.verify()).toMatchObject({ ok: false, first_broken_id: 2 })
    expect(verifier.state()).toEqual({
      ok: false,
      status: 'broken',
      unverifiable_before: null,
      verified_at: log.clock.now().toISOString(),
    })
    await verifier.close()
  })

  it('is verified in the background at the start and again after each interval', async () => {
    const folder = await copy()
    const log = await open(folder)
    const keys = await readChainKeys(folder)
    const deps = { db: log.db, head: log.history.head, keys, clock: log.clock, logger: quiet, intervalMs: 30 }
    const verifier = createChainVerifier(deps)
    verifier.start()
    await expect.poll(() => verifier.state().ok).toBe(true)
    await log.db.write(async (tx) => {
      await run('DELETE FROM audit WHERE id = 2')(tx.q)
    })
    await expect.poll(() => verifier.state().ok).toBe(false)
    await verifier.close()
  })

  it('of a long log is determined without blocking other work', async () => {
    const folder = await copy()
    const log = await open(folder)
    for (let batch = 0; batch < 10; batch += 1) {
      await log.db.write(async (tx) => {
        for (let i = 0; i < 300; i += 1) {
          await log.history.record(tx, log.ctx(), {
            action: 'update',
            resource: 'user',
            resourceId: `u-${i}`,
            key: `user ${i}`,
            summary: `Changed user ${i}`,
          })
        }
      })
    }
    // Number of event loop iterations during the verification: at least one per few hundred entries.
    let iterations = 0
    let isDone = false
    const count = () => {
      iterations += 1
      if (!isDone) setImmediate(count)
    }
    setImmediate(count)
    const report = await log.verify()
    isDone = true
    expect(report).toMatchObject({ ok: true, entries: entries + 3000 })
    expect(iterations).toBeGreaterThanOrEqual(3000 / 200)
  })
})
