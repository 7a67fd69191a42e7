import { readFile, rm, writeFile } from 'node:fs/promises'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Query } from '../../../server/db/types.ts'
import { headFile } from '../../../server/history/chain/head-file.ts'
import { edit, entries, type Log, openLog, openStore, provideLogs, run, verify } from './audit-support.ts'
import { columns, tamperings } from './chain-support.ts'

const { newFolder, copy, open } = provideLogs()

const runAll =
  (...statements: string[]) =>
  async (q: Query) => {
    for (const statement of statements) await run(statement)(q)
  }

const addUser = run(
  `INSERT INTO users (id, username, username_folded, password_hash, role, created_at, updated_at) VALUES ('u-1', 'edda', 'edda', 'x', 'admin', 1, 1)`,
)

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

  it.each(['missing', 'an earlier one'])('an emptied log whose head file is %s', async (kind) => {
    const folder = await newFolder()
    const fresh = await openLog(folder)
    const earlier = await readFile(headFile(folder), 'utf8')
    await fresh.db.write(async (tx) => void (await addUser(tx.q)))
    await fresh.record()
    await fresh.close()
    await edit(folder, run('DELETE FROM audit'))
    await (kind === 'missing' ? rm(headFile(folder)) : writeFile(headFile(folder), earlier))
    const emptied = { ok: false, reason: expect.stringMatching(/every entry was removed/) }
    expect(await verify(folder)).toMatchObject(emptied)
    const log = await open(folder)
    await log.record()
    expect(await log.verify()).toMatchObject(emptied)
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

  it.each([
    ['fewer entries than were removed', 2],
    ['more entries than were removed', 8],
  ])('a log truncated while it is in use, after the service appended %s', async (_, appended) => {
    const folder = await copy()
    const running = await openLog(folder)
    await running.record()
    await running.db.write(async (tx) => void (await run('DELETE FROM audit WHERE id > 7')(tx.q)))
    for (let i = 0; i < appended; i += 1) await running.record()
    expect(await running.verify()).toMatchObject({ ok: false })
    await running.close()
    expect(await verify(folder)).toMatchObject({
      ok: false,
      first_broken_id: 8,
      reason: expect.stringMatching(/Entries 8 to 13 were removed from the end/),
    })
  })

  it.each(columns.split(', '))('a change of the single value %s', async (column) => {
    const ref = sql.ref(column)
    for (const id of [1, 7, entries]) {
      const before = await sql<{
        value: string | number | null
      }>`select ${ref} as value from audit where id = ${id}`.execute(log.db.read)
      const set = (to: string | number | null) =>
        log.db.write(
          async (tx) => void (await sql`update audit set ${ref} = ${to} where id = ${id}`.execute(tx.q)),
        )
      await set(column === 'created_at' ? 1 : 'x')
      const report = await log.verify()
      await set(before.rows[0]?.value ?? null)
      expect(report).toMatchObject({ ok: false, first_broken_id: id })
    }
    expect(await log.verify()).toMatchObject({ ok: true })
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
