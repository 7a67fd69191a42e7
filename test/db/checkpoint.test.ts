import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { basename } from 'node:path'
import initSqlJs from 'sql.js'
import { describe, expect, test } from 'vitest'
import type { Sidecar } from '../../server/db/engines/sqljs/snapshot/snapshot.ts'
import { createEngine } from '../../server/db/engines/sqljs/sqlite/engine.ts'
import {
  emptyDatabaseFile,
  openMemoryDatabase,
  PAGE_BYTES,
} from '../../server/db/engines/sqljs/sqlite/memory-database.ts'
import { copyAfterCrash } from './crash.ts'
import { add, filesOf, ids, openStore } from './store.ts'

const sqlJs = await initSqlJs()
const generations = (folder: string) => filesOf(folder, /^snapshot-.*\.db$/).map((file) => basename(file))

describe('a checkpoint', () => {
  test('is a plain SQLite file with all commits and 8 KB pages, with length and sha256 in a sidecar', async () => {
    const { db, folder } = await openStore()
    await add(db, { id: 1, name: 'a' }, { id: 2, name: 'b' })
    await db.checkpoint()
    const file = filesOf(folder, /^snapshot-.*\.db$/).at(-1) ?? ''
    const bytes = readFileSync(file)
    const sidecar = JSON.parse(readFileSync(file.replace('.db', '.json'), 'utf8')) as Sidecar
    expect(sidecar).toMatchObject({ bytes: bytes.length, transaction: db.status().committed, schema: 1 })
    expect(sidecar.sha256).toBe(createHash('sha256').update(bytes).digest('hex'))
    const plain = new sqlJs.Database(bytes)
    expect(plain.exec('SELECT id, name FROM items')[0]?.values).toEqual([
      [1, 'a'],
      [2, 'b'],
    ])
    expect(plain.exec('PRAGMA integrity_check')[0]?.values).toEqual([['ok']])
    expect(plain.exec('PRAGMA page_size')[0]?.values).toEqual([[8192]])
    plain.close()
  })
  test('keeps two snapshots, and the journal since the older one', async () => {
    const { db, folder } = await openStore()
    for (let id = 1; id <= 4; id += 1) {
      await add(db, { id, name: null })
      await db.checkpoint()
    }
    expect(generations(folder)).toEqual(['snapshot-00000004.db', 'snapshot-00000005.db'])
    expect(filesOf(folder, /^journal-/).length).toBeLessThanOrEqual(3)
    expect(await ids((await openStore({ folder: copyAfterCrash(folder) })).db.read)).toEqual([1, 2, 3, 4])
  })
  test('loses no concurrent write', async () => {
    const { db, folder } = await openStore()
    for (let id = 0; id < 100; id += 1) await add(db, { id, name: `name ${id}` })
    let isDone = false
    const checkpoint = db.checkpoint().then(() => {
      isDone = true
    })
    let id = 100
    while (!isDone) await add(db, { id: id++, name: null })
    await checkpoint
    expect(id).toBeGreaterThan(100)
    const copy = await openStore({ folder: copyAfterCrash(folder) })
    expect(await ids(copy.db.read)).toHaveLength(id)
  })
  test('is made one after the other when requested concurrently', async () => {
    const { db, folder } = await openStore()
    await add(db, { id: 1, name: null })
    await Promise.all([db.checkpoint(), db.checkpoint()])
    expect(generations(folder)).toEqual(['snapshot-00000002.db', 'snapshot-00000003.db'])
  })
  test('is made automatically when the journal has grown', async () => {
    const tuning = { segmentBytes: 256 * 1024, transactionTimeoutMs: 300, journalTransactions: 20 }
    const { db, folder } = await openStore({ tuning })
    for (let id = 0; id < 25; id += 1) await add(db, { id, name: null })
    await expect.poll(() => generations(folder).length, { timeout: 10_000 }).toBeGreaterThan(1)
  })
  test('counts the journal of earlier processes', async () => {
    const tuning = { segmentBytes: 256 * 1024, transactionTimeoutMs: 300, journalTransactions: 20 }
    let folder: string | undefined
    for (let run = 0; run < 3; run += 1) {
      const store = await openStore({ tuning, ...(folder === undefined ? {} : { folder }) })
      for (let n = 0; n < 8; n += 1) await add(store.db, { id: run * 8 + n, name: null })
      folder = copyAfterCrash(store.folder)
      await store.db.close()
    }
    const { db } = await openStore({ tuning, folder: folder ?? '' })
    expect(generations(folder ?? '').length).toBeGreaterThan(1)
    expect(await ids(db.read)).toHaveLength(24)
  })
  test('and a backup are refused after close', async () => {
    const { db, folder } = await openStore()
    await db.close()
    await expect(db.checkpoint()).rejects.toMatchObject({ code: 'store.unavailable' })
    await expect(db.backup(`${folder}/b.db`)).rejects.toMatchObject({ code: 'store.unavailable' })
  })
  test('is made at close if there are enough changes', async () => {
    const tuning = { segmentBytes: 256 * 1024, transactionTimeoutMs: 300, journalTransactions: 20 }
    const few = await openStore({ tuning })
    await few.db.close()
    expect(generations(few.folder)).toHaveLength(1)
    const many = await openStore({ tuning })
    for (let id = 0; id < 10; id += 1) await add(many.db, { id, name: null })
    await many.db.close()
    expect(generations(many.folder)).toHaveLength(2)
  })
})

describe('the database in an oversized buffer', () => {
  const filled = (count: number, room: number) => {
    const file = emptyDatabaseFile(sqlJs)
    const buffer = Buffer.alloc(room)
    buffer.set(file)
    const database = openMemoryDatabase(sqlJs, buffer, file.length)
    database.connection.exec('CREATE TABLE t (id INTEGER PRIMARY KEY, a TEXT)')
    const engine = createEngine(database)
    const grow = (to: number) => {
      engine.begin()
      for (let id = 0; id < to; id += 1) engine.apply('INSERT INTO t (a) VALUES (?)', ['x'.repeat(500)])
    }
    grow(count)
    engine.commit()
    return { buffer, database, engine, grow }
  }
  const rows = (bytes: Uint8Array) => {
    const db = new sqlJs.Database(bytes)
    try {
      expect(db.exec('PRAGMA integrity_check')[0]?.values).toEqual([['ok']])
      return db.exec('SELECT count(*) FROM t')[0]?.values[0]?.[0]
    } finally {
      db.close()
    }
  }
  test('is neither copied nor grown: its first pages are the snapshot', () => {
    const { buffer, database } = filled(5000, 32 * 1024 * 1024)
    expect(database.isAttached()).toBe(true)
    const bytes = database.bytes()
    expect(bytes.buffer).toBe(buffer.buffer)
    expect(bytes.length % PAGE_BYTES).toBe(0)
    expect(database.fileBytes()).toBe(bytes.length)
    expect(rows(bytes)).toBe(5000)
  })
  test('stays there after a large transaction was rolled back', () => {
    const { database, engine, grow } = filled(10, 64 * 1024 * 1024)
    grow(20_000)
    engine.rollback()
    expect(database.isAttached()).toBe(true)
    expect(rows(database.bytes())).toBe(10)
  })
  test('is moved out of a buffer that became too small: the engine continues with a copy, and export() works', () => {
    const { buffer, database } = filled(5000, 64 * 1024)
    expect(database.isAttached()).toBe(false)
    expect(database.bytes().buffer).not.toBe(buffer.buffer)
    expect(rows(database.bytes())).toBe(5000)
    expect(database.usedBytes()).toBeGreaterThan(2_000_000)
  })
  test('is opened normally if its header has no page count', () => {
    const file = Buffer.from(emptyDatabaseFile(sqlJs))
    file.writeUInt32BE(0, 28)
    const buffer = Buffer.alloc(1024 * 1024)
    buffer.set(file)
    const database = openMemoryDatabase(sqlJs, buffer, file.length)
    expect(database.isAttached()).toBe(false)
    expect(database.connection.exec('SELECT count(*) FROM store_state')[0]?.values).toEqual([[1]])
  })
  test('counts free pages as available space', () => {
    const { database, engine } = filled(5000, 32 * 1024 * 1024)
    const before = database.usedBytes()
    engine.apply('DELETE FROM t', [])
    expect(database.usedBytes()).toBeLessThan(before / 10)
    expect(database.fileBytes()).toBeGreaterThanOrEqual(before)
  })
})

test('export() throws inside a write transaction, and keeps statements and pragmas', () => {
  const db = new sqlJs.Database()
  db.exec('PRAGMA foreign_keys = ON; CREATE TABLE t (a)')
  const statement = db.prepare('SELECT count(*) FROM t')
  db.exec('BEGIN; INSERT INTO t VALUES (1)')
  expect(() => db.export()).toThrow()
  db.exec('COMMIT')
  expect(db.export().length).toBeGreaterThan(0)
  expect(db.exec('PRAGMA foreign_keys')[0]?.values).toEqual([[1]])
  statement.step()
  expect(statement.get()).toEqual([1])
  db.close()
})

test('a replay runs under the same pragmas as the live database', async () => {
  const file = emptyDatabaseFile(sqlJs)
  const buffer = Buffer.alloc(1024 * 1024)
  buffer.set(file)
  const { connection: db } = openMemoryDatabase(sqlJs, buffer, file.length)
  const pragma = (name: string) => db.exec(`PRAGMA ${name}`)[0]?.values[0]?.[0]
  expect({
    foreign_keys: pragma('foreign_keys'),
    journal_mode: pragma('journal_mode'),
    page_size: pragma('page_size'),
    cache_size: pragma('cache_size'),
  }).toEqual({ foreign_keys: 1, journal_mode: 'memory', page_size: 8192, cache_size: -32000 })
  db.close()
})
