import initSqlJs from 'sql.js'
import { describe, expect, test } from 'vitest'
import { createEngine } from '../../../server/db/engines/sqljs/sqlite/engine.ts'
import {
  bufferSizeFor,
  emptyDatabaseFile,
  openMemoryDatabase,
  PAGE_BYTES,
} from '../../../server/db/engines/sqljs/sqlite/memory-database.ts'

const sqlJs = await initSqlJs()
const MIB = 1024 * 1024

test.each([
  [16, 24],
  [1024, 1536],
  [2048, 2816],
])('the buffer of a store of up to %i MB has %i MB', (limit, size) => {
  expect(bufferSizeFor(0, limit * MIB)).toBe(size * MIB)
  expect(bufferSizeFor(limit * MIB, MIB)).toBe(size * MIB)
})

describe('the database in an oversized buffer', () => {
  const filled = (count: number, bufferBytes: number) => {
    const file = emptyDatabaseFile(sqlJs)
    const buffer = Buffer.alloc(bufferBytes)
    buffer.set(file)
    const database = openMemoryDatabase(sqlJs, buffer, file.length)
    database.connection.exec('CREATE TABLE t (id INTEGER PRIMARY KEY, a TEXT)')
    const engine = createEngine(database)
    const grow = (rowCount: number) => {
      engine.begin()
      for (let id = 0; id < rowCount; id += 1) engine.apply('INSERT INTO t (a) VALUES (?)', ['x'.repeat(500)])
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
