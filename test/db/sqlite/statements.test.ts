import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { isUniqueViolation } from '../../../server/db/engines/sqljs/sqlite/engine.ts'
import { kindOf } from '../../../server/db/statement-kind.ts'
import { add, ids, insert, items, openStore, sharedStore } from '../store.ts'

const shared = await sharedStore()

describe('statements that the journal needs', () => {
  test.each([
    ['SELECT 1', 'read'],
    ['  -- why\n select 1', 'read'],
    ['/* why */ (VALUES (1))', 'read'],
    ['EXPLAIN QUERY PLAN DELETE FROM items', 'read'],
    ['WITH a AS (SELECT 1) SELECT * FROM a', 'read'],
    ['WITH a AS (SELECT 1) INSERT INTO items SELECT * FROM a', 'write'],
    ['insert into items (id) values (1)', 'write'],
    ['REPLACE INTO items (id) VALUES (1)', 'write'],
    ['CREATE TABLE t (a)', 'write'],
    ['PRAGMA foreign_keys = OFF', 'control'],
    ['COMMIT', 'control'],
    ['SAVEPOINT a', 'control'],
    ['ATTACH ? AS other', 'control'],
    ['VACUUM', 'control'],
    ['', 'control'],
  ])('%j is a %s', (text, kind) => {
    expect(kindOf(text)).toBe(kind)
  })
})

describe('statements whose replay could differ', () => {
  test.each([
    `INSERT INTO items (id) VALUES (random())`,
    `INSERT INTO items (id, name) VALUES (1, CURRENT_TIMESTAMP)`,
    `UPDATE items SET name = datetime('now')`,
    `INSERT INTO children (parent) VALUES (last_insert_rowid())`,
  ])('%s is refused', async (text) => {
    const { db } = shared
    await expect(db.write((tx) => sql.raw(text).execute(tx.q))).rejects.toThrow(/a replay would differ/)
  })

  test('OR ROLLBACK, which silently drops a transaction, is refused', async () => {
    const { db } = await openStore()
    const write = db.write(async (tx) => {
      await insert(tx.q, { id: 1, name: 'kept' })
      await sql`INSERT OR ROLLBACK INTO items (id) VALUES (1)`.execute(tx.q)
    })
    await expect(write).rejects.toThrow(/OR ROLLBACK/)
    expect(await ids(db.read)).toEqual([])
  })

  test('a constraint that rolls back fails the whole write, even if the error is caught', async () => {
    const table = `CREATE TABLE guarded (id INTEGER PRIMARY KEY ON CONFLICT ROLLBACK) STRICT`
    const { db } = await openStore({ migrations: [{ version: 1, name: 'one', statements: [table] }] })
    const write = db.write(async (tx) => {
      await sql`INSERT INTO guarded VALUES (1)`.execute(tx.q)
      await sql`INSERT INTO guarded VALUES (1)`.execute(tx.q).catch(() => {})
    })
    await expect(write).rejects.toThrow(/SQLite ended the transaction by itself/)
    await db.write((tx) => sql`INSERT INTO guarded VALUES (2)`.execute(tx.q))
    expect((await sql`SELECT id FROM guarded`.execute(db.read)).rows).toEqual([{ id: 2 }])
  })
})

describe('permitted statements', () => {
  test.each(['BEGIN', 'COMMIT', 'ROLLBACK', 'SAVEPOINT a', 'PRAGMA foreign_keys = OFF', 'VACUUM'])(
    '%s is allowed only for the store itself',
    async (text) => {
      const { db } = shared
      await expect(db.write((tx) => sql.raw(text).execute(tx.q))).rejects.toThrow(/Only the store runs this/)
    },
  )
  test('db.read does not write', async () => {
    const { db } = shared
    await expect(insert(db.read, { id: 1, name: null })).rejects.toThrow(/write through db\.write/)
  })
  test('Kysely opens no transaction of its own', async () => {
    const { db } = shared
    await expect(db.read.transaction().execute(async () => 1)).rejects.toThrow(/db\.write/)
  })
  test('a cursor is refused: it could not outlive the statement', async () => {
    const { db } = shared
    const reading = async () => {
      for await (const _ of db.read.selectFrom('settings').selectAll().stream()) return
    }
    await expect(reading()).rejects.toThrow(/page by key/)
  })
})

describe('unfinished statements', () => {
  test('RETURNING of many rows does not make COMMIT fail', async () => {
    const { db } = await openStore()
    const rows = await db.write(async (tx) => {
      for (let id = 1; id <= 20; id += 1) await insert(tx.q, { id, name: `n${id}` })
      return (await sql<{ id: number }>`UPDATE items SET n = id RETURNING id`.execute(tx.q)).rows
    })
    expect(rows).toHaveLength(20)
    expect((await items(db.read)).every(({ id, n }) => id === n)).toBe(true)
  })

  test('a statement that failed in the middle is reset and not journalled', async () => {
    const { db, folder } = await openStore()
    await db.write(async (tx) => {
      await insert(tx.q, { id: 1, name: 'a' })
      const duplicate = sql`INSERT INTO items (id, name) VALUES (2, 'b'), (3, 'a') RETURNING id`.execute(tx.q)
      const error = await duplicate.catch((caught: unknown) => caught)
      expect(isUniqueViolation(error, 'items.name')).toBe(true)
      expect(isUniqueViolation(error, 'items.id')).toBe(false)
      await insert(tx.q, { id: 4, name: 'd' })
    })
    expect(await ids(db.read)).toEqual([1, 4])
    await db.close()
    expect(await ids((await openStore({ folder })).db.read)).toEqual([1, 4])
  })
})

test('an error names its statement', async () => {
  const { db } = shared
  await expect(sql`SELECT * FROM nowhere`.execute(db.read)).rejects.toThrow(
    'no such table: nowhere · SELECT * FROM nowhere',
  )
})

test('thousands of different texts use neither prepared statements nor memory permanently', async () => {
  const { db } = await openStore()
  await add(db, { id: 1, name: 'a' })
  const values = (count: number) => sql.join(Array.from({ length: count }, (_, index) => sql`${index}`))
  for (let count = 1; count <= 450; count += 1) {
    const { rows } = await sql<{
      id: number
    }>`SELECT id FROM items WHERE id IN (${values(count)}, 1)`.execute(db.read)
    expect(rows).toHaveLength(1)
  }
  const before = process.memoryUsage().external
  for (let count = 1; count <= 450; count += 1) {
    await sql`SELECT id FROM items WHERE id IN (${values(count)}, 2)`.execute(db.read)
  }
  expect(process.memoryUsage().external - before).toBeLessThan(16 * 1024 * 1024)
})

test('a parameter is removed from its statement after the call', async () => {
  const { db } = shared
  const read = (a: string | null) => sql<{ a: string | null }>`SELECT ${a} AS a`.execute(db.read)
  expect((await read('x')).rows).toEqual([{ a: 'x' }])
  expect((await read(null)).rows).toEqual([{ a: null }])
})

test('a literal uses the matching partial index', async () => {
  const statements = [
    'CREATE TABLE t (id INTEGER PRIMARY KEY, status INTEGER) STRICT',
    'CREATE INDEX failed ON t (id) WHERE status = 1',
  ]
  const { db } = await openStore({ migrations: [{ version: 1, name: 'one', statements }] })
  const plan = async (status: ReturnType<typeof sql>) => {
    const query = sql<{
      detail: string
    }>`EXPLAIN QUERY PLAN SELECT id FROM t WHERE status = ${status} ORDER BY id`
    return (await query.execute(db.read)).rows.map(({ detail }) => detail).join()
  }
  expect(await plan(sql.lit(1))).toContain('failed')
})
