import { copyFileSync, existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import initSqlJs from 'sql.js'
import { describe, expect, test } from 'vitest'
import { restoreBackup } from '../../../server/db/engines/sqljs/recovery/restore.ts'
import { flipBit, truncate } from '../crash.ts'
import { add, contentOf, filesOf, ids, memoryLogger, newFolder, openStore, testMigrations } from '../store.ts'

const restore = (folder: string, file: string) =>
  restoreBackup({ folder, file, logger: memoryLogger(), migrations: testMigrations })

/** Returns a closed store with items 1 and 2, and a backup with item 1. */
async function backedUp(): Promise<{ folder: string; file: string }> {
  const { db, folder } = await openStore()
  const file = join(newFolder(), 'backup.db')
  await add(db, { id: 1, name: 'old' })
  await db.backup(file)
  await add(db, { id: 2, name: 'new' })
  await db.close()
  return { folder, file }
}

describe('a backup', () => {
  test('is one plain SQLite file that needs nothing else', async () => {
    const { file } = await backedUp()
    const db = new (await initSqlJs()).Database(readFileSync(file))
    expect(db.exec('SELECT name FROM items')[0]?.values).toEqual([['old']])
    expect(db.exec('PRAGMA integrity_check')[0]?.values).toEqual([['ok']])
    db.close()
  })
  test('returns its size, and does not change snapshots and journal', async () => {
    const { db, folder } = await openStore()
    const file = join(newFolder(), 'backup.db')
    await add(db, { id: 1, name: 'a' })
    expect(await db.backup(file)).toEqual({ sizeBytes: readFileSync(file).length })
    expect(filesOf(folder, /^snapshot-.*\.db$/)).toHaveLength(1)
  })
  test('can be made during writes, and is consistent', async () => {
    const { db } = await openStore()
    const file = join(newFolder(), 'backup.db')
    let isDone = false
    const backup = db.backup(file).then(() => {
      isDone = true
    })
    for (let id = 0; !isDone; id += 2) await add(db, { id, name: null }, { id: id + 1, name: null })
    await backup
    const target = newFolder()
    await restore(target, file)
    expect((await ids((await openStore({ folder: target })).db.read)).length % 2).toBe(0)
  })
  test('that cannot be written reports an error and has no other effect', async () => {
    const { db } = await openStore()
    await add(db, { id: 1, name: 'a' })
    await expect(db.backup(join(newFolder(), 'missing', 'backup.db'))).rejects.toThrow(/ENOENT/)
    await add(db, { id: 2, name: 'b' })
    expect(await ids(db.read)).toEqual([1, 2])
  })
})

describe('a restore', () => {
  test('replaces the store and keeps the replaced files', async () => {
    const { folder, file } = await backedUp()
    const replaced = readdirSync(folder).filter((name) => /^(?:snapshot|journal)-/.test(name))
    const restored = await restore(folder, file)
    expect(await ids((await openStore({ folder })).db.read)).toEqual([1])
    expect(readdirSync(restored.replaced).sort()).toEqual(replaced.sort())
    expect(restored.schema).toBe(1)
  })
  test('can be reverted: the replaced files are a complete store', async () => {
    const { folder, file } = await backedUp()
    const { replaced } = await restore(folder, file)
    expect(await ids((await openStore({ folder: replaced })).db.read)).toEqual([1, 2])
  })
  test('is reported at each start until the audit log contains it', async () => {
    const { folder, file } = await backedUp()
    await restore(folder, file)
    const first = await openStore({ folder })
    expect(first.restoredFrom).toMatchObject({ file, at: expect.stringMatching(/^\d{4}-/) })
    await first.db.close()
    const second = await openStore({ folder })
    expect(second.restoredFrom?.file).toBe(file)
    second.clearRestore()
    await second.db.close()
    expect((await openStore({ folder })).restoredFrom).toBeNull()
  })
  test('into an empty folder creates a store', async () => {
    const { file } = await backedUp()
    const folder = join(newFolder(), 'new')
    await restore(folder, file)
    const { db } = await openStore({ folder })
    await add(db, { id: 2, name: 'more' })
    expect(await ids(db.read)).toEqual([1, 2])
  })
  test('twice continues from the second', async () => {
    const { folder, file } = await backedUp()
    await restore(folder, file)
    const first = await openStore({ folder })
    await add(first.db, { id: 9, name: 'lost' })
    await first.db.close()
    await restore(folder, file)
    expect(await ids((await openStore({ folder })).db.read)).toEqual([1])
    expect(readdirSync(folder).filter((name) => name.startsWith('replaced-'))).toHaveLength(2)
  })
})

describe('a restore is refused without changes', () => {
  async function refused(change: (file: string) => void | Promise<void>, message: RegExp): Promise<void> {
    const { folder, file } = await backedUp()
    await change(file)
    const before = contentOf(folder)
    await expect(restore(folder, file)).rejects.toThrow(message)
    expect(contentOf(folder)).toEqual(before)
    expect(await ids((await openStore({ folder })).db.read)).toEqual([1, 2])
  }
  test('of a file that is no database', () =>
    refused((file) => writeFileSync(file, 'x'.repeat(9000)), /not an SQLite database/))
  test('of an empty file', () => refused((file) => truncate(file, 0), /not an SQLite database/))
  test('of a truncated file', () => refused((file) => truncate(file, 30_000), /damaged/))
  test('of a file with damaged pages', () =>
    refused((file) => {
      for (let at = 8192; at < 8192 * 3; at += 16) flipBit(file, at)
    }, /damaged/))
  test('of a missing file', () => refused((file) => rmSync(file), /ENOENT|does not exist|not found/))
  test('of a database of another program', () =>
    refused(async (file) => {
      const db = new (await initSqlJs()).Database()
      db.exec('CREATE TABLE notes (a)')
      writeFileSync(file, db.export())
      db.close()
    }, /not one of Promptdeck/))
  test('of a newer schema', () =>
    refused(async (file) => {
      const db = new (await initSqlJs()).Database(new Uint8Array(readFileSync(file)))
      db.exec('PRAGMA user_version = 99')
      writeFileSync(file, db.export())
      db.close()
    }, /schema 99; this version supports up to 1/))
})

describe('an interrupted restore', () => {
  const marker = (file: string, generation: number) =>
    JSON.stringify({
      state: 'placing',
      generation,
      file,
      at: '2026-01-01T00:00:00.000Z',
      replaced: 'replaced-x',
    })

  test('has no effect before it replaces any file', async () => {
    const { folder, file } = await backedUp()
    writeFileSync(join(folder, 'restore.json'), marker(file, 7))
    writeFileSync(join(folder, 'snapshot-00000007.json'), '{}')
    writeFileSync(join(folder, 'snapshot-00000007.db.tmp'), 'half')
    const { db, restoredFrom } = await openStore({ folder })
    expect(await ids(db.read)).toEqual([1, 2])
    expect(restoredFrom).toBeNull()
    expect(existsSync(join(folder, 'snapshot-00000007.json'))).toBe(false)
  })
  test('is completed by the next start after the backup is in place', async () => {
    const { folder, file } = await backedUp()
    writeFileSync(join(folder, 'restore.json'), marker(file, 7))
    copyFileSync(file, join(folder, 'snapshot-00000007.db'))
    const { db, restoredFrom } = await openStore({ folder })
    expect(await ids(db.read)).toEqual([1])
    expect(restoredFrom?.file).toBe(file)
    expect(readdirSync(join(folder, 'replaced-x')).length).toBeGreaterThan(1)
  })
})
