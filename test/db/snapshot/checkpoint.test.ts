import { hash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { basename } from 'node:path'
import initSqlJs from 'sql.js'
import { describe, expect, test } from 'vitest'
import type { Sidecar } from '../../../server/db/engines/sqljs/snapshot/snapshot.ts'
import { copyAfterCrash } from '../crash.ts'
import { add, filesOf, ids, openStore } from '../store.ts'

const sqlJs = await initSqlJs()
const generations = (folder: string) => filesOf(folder, /^snapshot-.*\.db$/).map((file) => basename(file))

describe('a checkpoint on request', () => {
  test('is a plain SQLite file with all commits and 8 KB pages, with length and sha256 in a sidecar', async () => {
    const { db, folder } = await openStore()
    await add(db, { id: 1, name: 'a' }, { id: 2, name: 'b' })
    await db.checkpoint()
    const file = filesOf(folder, /^snapshot-.*\.db$/).at(-1) ?? ''
    const bytes = readFileSync(file)
    const sidecar = JSON.parse(readFileSync(file.replace('.db', '.json'), 'utf8')) as Sidecar
    expect(sidecar).toMatchObject({ bytes: bytes.length, transaction: db.status().committed, schema: 1 })
    expect(sidecar.sha256).toBe(hash('sha256', bytes, 'hex'))
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
  test('and a backup are refused after close', async () => {
    const { db, folder } = await openStore()
    await db.close()
    await expect(db.checkpoint()).rejects.toMatchObject({ code: 'store.unavailable' })
    await expect(db.backup(`${folder}/b.db`)).rejects.toMatchObject({ code: 'store.unavailable' })
  })
})

describe('an automatic checkpoint', () => {
  const tuning = { segmentBytes: 256 * 1024, transactionTimeoutMs: 300, journalTransactions: 20 }

  test('is made when the journal has grown', async () => {
    const { db, folder } = await openStore({ tuning })
    for (let id = 0; id < 25; id += 1) await add(db, { id, name: null })
    await expect.poll(() => generations(folder).length, { timeout: 10_000 }).toBeGreaterThan(1)
  })
  test('counts the journal of earlier processes', async () => {
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
  test('is made at close if there are enough changes', async () => {
    const few = await openStore({ tuning })
    await few.db.close()
    expect(generations(few.folder)).toHaveLength(1)
    const many = await openStore({ tuning })
    for (let id = 0; id < 10; id += 1) await add(many.db, { id, name: null })
    await many.db.close()
    expect(generations(many.folder)).toHaveLength(2)
  })
})
