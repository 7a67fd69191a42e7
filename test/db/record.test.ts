import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { readRecord, recordName } from '../../server/db/engines/sqljs/record/record-file.ts'
import { copyAfterCrash, flipBit, lastRecords, overwrite, truncate } from './crash.ts'
import { add, contentOf, filesOf, ids, newFolder, openStore } from './store.ts'

const storeOf = (dataDir: string) => join(dataDir, 'store')
const open = (dataDir: string, options: Parameters<typeof openStore>[0] = {}) =>
  openStore({ folder: storeOf(dataDir), dataDir, ...options })
const reopen = async (dataDir: string) => ids((await open(dataDir)).db.read)
/** Copies the folder as a kill leaves it, after background work has ended. */
async function crashed(folder: string): Promise<string> {
  const unfinished = () =>
    [folder, storeOf(folder)].flatMap((path) => (existsSync(path) ? filesOf(path, /\.tmp$/) : []))
  await expect.poll(unfinished, { timeout: 10_000 }).toEqual([])
  return copyAfterCrash(folder)
}

const wide = (id: number) => ({ id, name: `${id}`.padEnd(60_000, 'x') })

/** Creates a data folder with items 1 to `count` and a checkpoint at item 2, as a kill leaves it. */
async function killed(count = 5): Promise<string> {
  const dataDir = newFolder()
  const { db } = await open(dataDir)
  for (let id = 1; id <= count; id += 1) {
    await add(db, wide(id))
    if (id === 2) await db.checkpoint()
  }
  return await crashed(dataDir)
}

async function stopped(count = 5): Promise<string> {
  const dataDir = newFolder()
  const { db } = await open(dataDir)
  for (let id = 1; id <= count; id += 1) await add(db, wide(id))
  await db.close()
  return dataDir
}

/** Starts the store, expects the refusal, and checks that nothing was changed. */
async function refused(dataDir: string, reason: RegExp, options: Parameters<typeof openStore>[0] = {}) {
  mkdirSync(storeOf(dataDir), { recursive: true })
  const before = [contentOf(dataDir), contentOf(storeOf(dataDir))]
  const error = await open(dataDir, options).catch((caught: unknown) => caught)
  expect(error).toMatchObject({ name: 'StoreError', code: 'incomplete' })
  expect(String(error)).toMatch(reason)
  expect(String(error)).toContain(`npm run recover -- --data "${dataDir}"`)
  expect(String(error)).toContain('npm run restore -- --data')
  expect([contentOf(dataDir), contentOf(storeOf(dataDir))]).toEqual(before)
}

describe('a store with less than the acknowledged data does not start', () => {
  test('without its last journal segment', async () => {
    const dataDir = await killed()
    rmSync(lastRecords(storeOf(dataDir)).file)
    await refused(dataDir, /journal-\d+\.log, the newest segment of the journal, is missing/)
  })
  test('without the last segment after a clean stop', async () => {
    const dataDir = await stopped()
    rmSync(lastRecords(storeOf(dataDir)).file)
    await refused(dataDir, /ends with transaction \d+, but transactions up to \d+ were acknowledged/)
  })
  test('with a snapshot but without any journal', async () => {
    const dataDir = await killed()
    for (const file of filesOf(storeOf(dataDir), /^journal-/)) rmSync(file)
    await refused(dataDir, /newest segment of the journal, is missing|were acknowledged/)
  })
  test('with only the first snapshot of a new store', async () => {
    const dataDir = newFolder()
    await add((await open(dataDir)).db, wide(1))
    const copy = await crashed(dataDir)
    for (const file of filesOf(storeOf(copy), /^journal-/)) rmSync(file)
    await refused(copy, /transaction|newest segment/)
  })
  test('with an empty folder in place of store/', async () => {
    const dataDir = await killed()
    rmSync(storeOf(dataDir), { recursive: true })
    await refused(dataDir, /the store is empty, but transactions up to \d+ were acknowledged/)
  })
  test('with a new, empty store in place of the old one', async () => {
    const dataDir = await killed()
    const other = newFolder()
    await (await open(other)).db.close()
    rmSync(storeOf(dataDir), { recursive: true })
    cpSync(storeOf(other), storeOf(dataDir), { recursive: true })
    await refused(dataDir, /is not the store that this data folder was used with/)
  })
  test('with an old copy of store/', async () => {
    const dataDir = newFolder()
    const first = await open(dataDir)
    await add(first.db, wide(1))
    const old = await crashed(storeOf(dataDir))
    for (let id = 2; id <= 9; id += 1) await add(first.db, wide(id))
    const copy = await crashed(dataDir)
    rmSync(storeOf(copy), { recursive: true })
    cpSync(old, storeOf(copy), { recursive: true })
    await refused(copy, /acknowledged/)
  })
  test('with a copy made in the middle of the last segment, after a clean stop', async () => {
    const dataDir = newFolder()
    const { db } = await open(dataDir, { tuning: { segmentBytes: 1024 * 1024, transactionTimeoutMs: 300 } })
    await add(db, { id: 1, name: null })
    const old = await crashed(storeOf(dataDir))
    await add(db, { id: 2, name: null })
    await db.close()
    rmSync(storeOf(dataDir), { recursive: true })
    cpSync(old, storeOf(dataDir), { recursive: true })
    await refused(dataDir, /ends with transaction 2, but transactions up to 3 were acknowledged/)
  })
  test('with an emptied last segment', async () => {
    const dataDir = await killed()
    const { file } = lastRecords(storeOf(dataDir))
    overwrite(file, 512, Buffer.alloc(readFileSync(file).length - 512))
    await refused(dataDir, /is missing or was emptied/)
  })
  test('with fewer audit entries than the signed head proves', async () => {
    const dataDir = await killed()
    rmSync(join(dataDir, recordName))
    await refused(dataDir, /ends with entry|has no entry.*entry 3 was written/, {
      knownAuditEntry: async () => 3,
    })
  })
  test('names the newest verified backup with its command', async () => {
    const dataDir = await killed()
    const backups = join(dataDir, 'backups')
    mkdirSync(backups)
    const { createHash } = await import('node:crypto')
    const seal = (id: string, at: number, text: string, sealed = text) => {
      writeFileSync(join(backups, `${id}.sqlite`), text)
      const sha256 = createHash('sha256').update(sealed).digest('hex')
      writeFileSync(join(backups, `${id}.json`), JSON.stringify({ created_at: at, size_bytes: 4, sha256 }))
    }
    seal('20260101T000000Z-00000001', Date.UTC(2026, 0, 1), 'good')
    seal('20260102T000000Z-00000002', Date.UTC(2026, 0, 2), 'best')
    seal('20260103T000000Z-00000003', Date.UTC(2026, 0, 3), 'bad!', 'good')
    rmSync(lastRecords(storeOf(dataDir)).file)
    const error = String(await open(dataDir).catch((caught: unknown) => caught))
    const file = join(backups, '20260102T000000Z-00000002.sqlite')
    expect(error).toContain('made at 2026-01-02T00:00:00.000Z')
    expect(error).toContain(`npm run restore -- --data "${dataDir}" "${file}"`)
  })
})

describe('a healthy store starts', () => {
  test('after kills and stops in any order', async () => {
    let dataDir = newFolder()
    const kept: number[] = []
    for (let round = 1; round <= 6; round += 1) {
      const { db } = await open(dataDir)
      expect(await ids(db.read)).toEqual(kept)
      for (const id of [round * 10, round * 10 + 1, round * 10 + 2]) {
        await add(db, wide(id))
        kept.push(id)
      }
      if (round % 3 === 0) await db.checkpoint()
      if (round % 2 === 0) await db.close()
      else dataDir = await crashed(dataDir)
    }
    expect(await reopen(dataDir)).toEqual(kept)
  })
  test('after a crash between a new segment and its record', async () => {
    const dataDir = newFolder()
    const { db } = await open(dataDir)
    await add(db, wide(1))
    const before = readFileSync(join(dataDir, recordName))
    await db.checkpoint()
    const copy = await crashed(dataDir)
    writeFileSync(join(copy, recordName), before)
    expect(await reopen(copy)).toEqual([1])
  })
  test('after an older version, which writes no record, appended to the journal', async () => {
    const dataDir = await killed()
    const older = await openStore({ folder: storeOf(dataDir) })
    for (let id = 10; id <= 14; id += 1) await add(older.db, wide(id))
    await older.db.checkpoint()
    await add(older.db, wide(15))
    await older.db.checkpoint()
    await older.db.close()
    expect(await reopen(dataDir)).toEqual([1, 2, 3, 4, 5, 10, 11, 12, 13, 14, 15])
  })
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
    ['cut short', (file: string) => truncate(file, 100)],
    ['empty', (file: string) => truncate(file, 0)],
    ['of other content', (file: string) => writeFileSync(file, '{}'.repeat(5000))],
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
    await add(db, wide(1))
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
    await add(db, wide(1))
    const spare = join(storeOf(dataDir), 'journal-00000002.log')
    await expect.poll(() => existsSync(spare)).toBe(true)
    const copy = await crashed(dataDir)
    const file = join(storeOf(copy), 'journal-00000002.log')
    flipBit(file, at)
    expect(await reopen(copy)).toEqual([1])
  })
  test('in an unused segment, without a record', async () => {
    const { db, folder } = await openStore()
    await add(db, wide(1))
    await expect.poll(() => existsSync(join(folder, 'journal-00000002.log'))).toBe(true)
    const copy = await crashed(folder)
    flipBit(join(copy, 'journal-00000002.log'), 5000)
    expect(await ids((await openStore({ folder: copy })).db.read)).toEqual([1])
  })
  test('in the last segment after a clean stop with a complete snapshot', async () => {
    const dataDir = newFolder()
    const { db } = await open(dataDir, { snapshotAtClose: true })
    await add(db, wide(1))
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
