import { readFileSync } from 'node:fs'
import { sql } from 'kysely'
import initSqlJs from 'sql.js'
import { expect, test } from 'vitest'
import { migrations as released } from '../../server/db/migrations/index.ts'
import type { Migration } from '../../server/db/migrations/migration.ts'
import { copyAfterCrash, flipBit } from './crash.ts'
import { add, contentOf, filesOf, ids, newFolder, openStore, testMigrations } from './store.ts'

const second: Migration = {
  version: 2,
  name: 'labels',
  statements: [
    'CREATE TABLE labels (id INTEGER PRIMARY KEY) STRICT',
    'ALTER TABLE items ADD COLUMN note TEXT',
  ],
}
const both = [...testMigrations, second]
const schemaOf = async (file: string) => {
  const db = new (await initSqlJs()).Database(readFileSync(file))
  try {
    return db.exec('PRAGMA user_version')[0]?.values[0]?.[0]
  } finally {
    db.close()
  }
}

test('the released migrations create an empty store in which every table is strict', async () => {
  const { db, isNew } = await openStore({ migrations: released })
  expect(isNew).toBe(true)
  const { rows } = await sql<{ name: string; strict: number }>`SELECT name, strict FROM pragma_table_list
    WHERE schema = 'main' AND type = 'table' AND name NOT LIKE 'sqlite_%'`.execute(db.read)
  expect(rows.length).toBeGreaterThan(5)
  expect(rows.filter(({ strict }) => strict === 0)).toEqual([])
})

test('a store is backed up, then migrated, and keeps its rows', async () => {
  const { db, folder } = await openStore()
  await add(db, { id: 1, name: 'a' })
  await db.close()
  const again = await openStore({ folder, migrations: both })
  expect(again.isNew).toBe(false)
  expect(await ids(again.db.read)).toEqual([1])
  expect((await sql`SELECT note FROM items`.execute(again.db.read)).rows).toEqual([{ note: null }])
  const [backup = ''] = filesOf(folder, /^before-schema-2-.*\.db$/)
  expect(await schemaOf(backup)).toBe(1)
})

test('a new store needs no backup, and a current one is not changed', async () => {
  const { db, folder } = await openStore({ migrations: both })
  await db.close()
  await openStore({ folder, migrations: both })
  expect(filesOf(folder, /^before-schema-/)).toEqual([])
})

test('after a kill right after a migration, with a damaged snapshot, the journal is migrated again', async () => {
  const { db, folder } = await openStore()
  await add(db, { id: 1, name: 'a' })
  await db.close()
  const migrated = await openStore({ folder, migrations: both })
  await migrated.db.write((tx) => sql`INSERT INTO labels (id) VALUES (7)`.execute(tx.q))
  const crashed = copyAfterCrash(folder)
  flipBit(filesOf(crashed, /^snapshot-.*\.db$/).at(-1) ?? '', 9000)
  const again = await openStore({ folder: crashed, migrations: both })
  expect((await sql`SELECT id FROM labels`.execute(again.db.read)).rows).toEqual([{ id: 7 }])
})

test('a failing migration leaves the previous schema and reports the error', async () => {
  const { db, folder } = await openStore()
  await add(db, { id: 1, name: 'a' })
  await db.close()
  const broken: Migration = {
    version: 2,
    name: 'broken',
    statements: ['CREATE TABLE fine (a) STRICT', 'CREATE TABLE'],
  }
  const migrate = () =>
    expect(openStore({ folder, migrations: [...testMigrations, broken] })).rejects.toThrow()
  await migrate()
  // The backup of the same state is not written again, so a loop of starts does not fill the disk.
  await migrate()
  expect(filesOf(folder, /^before-schema-2-/).length).toBe(1)
  const changed = await openStore({ folder })
  await add(changed.db, { id: 2, name: 'b' })
  await changed.db.close()
  await migrate()
  expect(filesOf(folder, /^before-schema-2-/).length).toBe(2)
  const again = await openStore({ folder })
  expect(await ids(again.db.read)).toEqual([1, 2])
  await expect(sql`SELECT * FROM fine`.execute(again.db.read)).rejects.toThrow(/no such table/)
})

test('a migration that leaves rows without a parent is rolled back', async () => {
  const { db, folder } = await openStore()
  await db.write((tx) => sql`INSERT INTO parents (id) VALUES (1)`.execute(tx.q))
  await db.write((tx) => sql`INSERT INTO children (id, parent) VALUES (1, 1)`.execute(tx.q))
  await db.close()
  const broken: Migration = {
    version: 2,
    name: 'orphans',
    statements: [
      'CREATE TABLE orphans (id INTEGER PRIMARY KEY, parent INTEGER REFERENCES parents (id) DEFERRABLE INITIALLY DEFERRED) STRICT',
      'INSERT INTO orphans VALUES (1, 99)',
    ],
  }
  await expect(openStore({ folder, migrations: [...testMigrations, broken] })).rejects.toThrow(
    /rows without their parent/,
  )
  expect((await sql`SELECT id FROM children`.execute((await openStore({ folder })).db.read)).rows).toEqual([
    { id: 1 },
  ])
})

test('a newer schema is refused with a remedy, and nothing is changed', async () => {
  const { db, folder } = await openStore({ migrations: both })
  await db.checkpoint()
  await db.close()
  const before = contentOf(folder)
  const error = await openStore({ folder }).catch((caught: unknown) => caught)
  expect(error).toMatchObject({ code: 'newer_schema' })
  expect(String(error)).toMatch(/schema 2; this version supports up to 1.*Update Promptdeck/)
  expect(contentOf(folder)).toEqual(before)
})

test('a newer schema that is only in the journal is also refused', async () => {
  const { db, folder } = await openStore({ migrations: both })
  await db.close()
  await expect(openStore({ folder })).rejects.toMatchObject({ code: 'newer_schema' })
  expect(await ids((await openStore({ folder, migrations: both })).db.read)).toEqual([])
})

test('a list with a gap is rejected at once', async () => {
  const gap = [...testMigrations, { ...second, version: 3 }]
  await expect(openStore({ folder: newFolder(), migrations: gap })).rejects.toThrow(
    /migration 3 \(labels\) is number 2 in the list/,
  )
})
