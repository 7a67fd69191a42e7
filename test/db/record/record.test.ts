import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { recordName } from '../../../server/db/engines/sqljs/record/record-file.ts'
import { lastRecords, overwrite } from '../crash.ts'
import { crashed, killed, largeItem, open, refused, stopped, storeOf } from '../data-folder.ts'
import { add, filesOf, newFolder } from '../store.ts'

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
    await add((await open(dataDir)).db, largeItem(1))
    const copy = await crashed(dataDir)
    for (const file of filesOf(storeOf(copy), /^journal-/)) rmSync(file)
    await refused(copy, /transaction|newest segment/)
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
    const { hash } = await import('node:crypto')
    const seal = (id: string, at: number, text: string, sealed = text) => {
      writeFileSync(join(backups, `${id}.sqlite`), text)
      const sha256 = hash('sha256', sealed, 'hex')
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

describe('a store in place of another does not start', () => {
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
    await add(first.db, largeItem(1))
    const old = await crashed(storeOf(dataDir))
    for (let id = 2; id <= 9; id += 1) await add(first.db, largeItem(id))
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
})
