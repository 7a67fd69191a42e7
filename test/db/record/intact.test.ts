import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { readRecord, recordName } from '../../../server/db/engines/sqljs/record/record-file.ts'
import { flipBit, lastRecords, truncate } from '../crash.ts'
import { crashed, killed, largeItem, open, refused, reopen, storeOf } from '../data-folder.ts'
import { add, filesOf, ids, newFolder, openStore } from '../store.ts'

describe('a healthy store starts', () => {
  test('after kills and stops in any order', async () => {
    let dataDir = newFolder()
    const added: number[] = []
    for (let round = 1; round <= 6; round += 1) {
      const { db } = await open(dataDir)
      expect(await ids(db.read)).toEqual(added)
      for (const id of [round * 10, round * 10 + 1, round * 10 + 2]) {
        await add(db, largeItem(id))
        added.push(id)
      }
      if (round % 3 === 0) await db.checkpoint()
      if (round % 2 === 0) await db.close()
      else dataDir = await crashed(dataDir)
    }
    expect(await reopen(dataDir)).toEqual(added)
  })
  test('after a crash between a new segment and its record', async () => {
    const dataDir = newFolder()
    const { db } = await open(dataDir)
    await add(db, largeItem(1))
    const before = readFileSync(join(dataDir, recordName))
    await db.checkpoint()
    const copy = await crashed(dataDir)
    writeFileSync(join(copy, recordName), before)
    writeFileSync(join(copy, `${recordName}.0a1b2c3d.tmp`), before)
    expect(await reopen(copy)).toEqual([1])
    expect(filesOf(copy, /\.tmp$/)).toEqual([])
  })
  test('after an older version, which writes no record, appended to the journal', async () => {
    const dataDir = await killed()
    const older = await openStore({ folder: storeOf(dataDir) })
    for (let id = 10; id <= 14; id += 1) await add(older.db, largeItem(id))
    await older.db.checkpoint()
    await add(older.db, largeItem(15))
    await older.db.checkpoint()
    await older.db.close()
    expect(await reopen(dataDir)).toEqual([1, 2, 3, 4, 5, 10, 11, 12, 13, 14, 15])
  })
})

describe('a healthy store starts', () => {
  test('without a record: it is created once, with a log line', async () => {
    const dataDir = await killed()
    rmSync(join(dataDir, recordName))
    const adopted = 'recorded the store outside its folder; later starts compare it'
    const first = await open(dataDir)
    expect(first.log.lines.map(({ message }) => message)).toContain(adopted)
    await first.db.close()
    const second = await open(dataDir)
    expect(second.log.lines.map(({ message }) => message)).not.toContain(adopted)
  })
  test.each([
    ['truncated', (file: string) => truncate(file, 100)],
    ['empty', (file: string) => truncate(file, 0)],
    ['filled with other content', (file: string) => writeFileSync(file, '{}'.repeat(5000))],
  ])('with a record that is %s: it is set aside and created again', async (_, damage) => {
    const dataDir = await killed()
    damage(join(dataDir, recordName))
    const { db, log } = await open(dataDir)
    expect(await ids(db.read)).toEqual([1, 2, 3, 4, 5])
    expect(readdirSync(dataDir).some((name) => name.startsWith(`${recordName}.damaged-`))).toBe(true)
    expect(log.lines.some(({ message }) => message.includes('was damaged and set aside'))).toBe(true)
    expect(readRecord(dataDir).kind).toBe('read')
  })
  test('but not if it is empty and its record is damaged', async () => {
    const dataDir = await killed()
    rmSync(storeOf(dataDir), { recursive: true })
    truncate(join(dataDir, recordName), 10)
    await refused(dataDir, /is empty, but store-record\.json \(damaged\) shows that there was one/)
  })
  test('with one damaged slot of the record', async () => {
    for (const at of [20, 4096 + 20]) {
      const dataDir = await killed()
      flipBit(join(dataDir, recordName), at)
      expect(await reopen(dataDir)).toEqual([1, 2, 3, 4, 5])
    }
  })
  test('whose record was removed while the service was running', async () => {
    const dataDir = newFolder()
    const { db } = await open(dataDir)
    rmSync(join(dataDir, recordName))
    await add(db, largeItem(1))
    await db.checkpoint()
    expect(readRecord(dataDir)).toMatchObject({ kind: 'read', record: { is_clean: false } })
    expect(await reopen(await crashed(dataDir))).toEqual([1])
  })
})

describe('damage outside of acknowledged data', () => {
  test('in the header of the last segment: it is repaired permanently', async () => {
    const dataDir = await killed()
    flipBit(lastRecords(storeOf(dataDir)).file, 3)
    const { db } = await open(dataDir)
    expect(await ids(db.read)).toEqual([1, 2, 3, 4, 5])
    await db.checkpoint()
    await db.close()
    expect(await reopen(dataDir)).toEqual([1, 2, 3, 4, 5])
  })
  test.each([3, 600, 5000, 100_000])('at byte %d of an unused segment', async (at) => {
    const dataDir = newFolder()
    const { db } = await open(dataDir)
    await add(db, largeItem(1))
    const spare = join(storeOf(dataDir), 'journal-00000002.log')
    await expect.poll(() => existsSync(spare)).toBe(true)
    const copy = await crashed(dataDir)
    const file = join(storeOf(copy), 'journal-00000002.log')
    flipBit(file, at)
    expect(await reopen(copy)).toEqual([1])
  })
  test('in an unused segment, without a record', async () => {
    const { db, folder } = await openStore()
    await add(db, largeItem(1))
    await expect.poll(() => existsSync(join(folder, 'journal-00000002.log'))).toBe(true)
    const copy = await crashed(folder)
    flipBit(join(copy, 'journal-00000002.log'), 5000)
    expect(await ids((await openStore({ folder: copy })).db.read)).toEqual([1])
  })
  test('in the last segment after a clean stop with a complete snapshot', async () => {
    const dataDir = newFolder()
    const { db } = await open(dataDir, { snapshotAtClose: true })
    await add(db, largeItem(1))
    await db.close()
    for (const file of filesOf(storeOf(dataDir), /^journal-/)) flipBit(file, 3)
    expect(await reopen(dataDir)).toEqual([1])
  })
  test('in the preallocated space after the last record', async () => {
    const dataDir = await killed()
    const { file, end } = lastRecords(storeOf(dataDir))
    for (const at of [end, end + 100, end + 5000]) flipBit(file, at)
    expect(await reopen(dataDir)).toEqual([1, 2, 3, 4, 5])
  })
})
