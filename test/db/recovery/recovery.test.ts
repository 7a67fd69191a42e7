import { existsSync, mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { copyAfterCrash, flipBit, lastRecords, overwrite, truncate } from '../crash.ts'
import { add, contentOf, everything, filesOf, ids, openStore } from '../store.ts'

/** Creates five transactions on disk as a kill leaves them: items 1 to 5, one each. */
async function killed(): Promise<string> {
  const { db, folder } = await openStore()
  for (let id = 1; id <= 5; id += 1) await add(db, { id, name: `item ${id}` })
  return copyAfterCrash(folder)
}

const reopen = async (folder: string) => ids((await openStore({ folder })).db.read)

describe('after a kill', () => {
  test('all acknowledged data exists', async () => {
    expect(await reopen(await killed())).toEqual([1, 2, 3, 4, 5])
  })
  test('transaction numbers continue, and a second start finds both', async () => {
    const folder = await killed()
    const first = await openStore({ folder })
    const { committed } = first.db.status()
    await add(first.db, { id: 6, name: 'after' })
    expect(first.db.status().committed).toBe(committed + 1)
    expect(await reopen(copyAfterCrash(folder))).toEqual([1, 2, 3, 4, 5, 6])
  })
  test('unfinished files are removed, other files remain', async () => {
    const folder = await killed()
    writeFileSync(join(folder, 'snapshot-00000009.db.tmp'), 'half')
    writeFileSync(join(folder, 'journal-00000009.log.tmp'), 'half')
    writeFileSync(join(folder, 'notes.txt'), 'mine')
    // A name that cannot be removed makes no snapshot count as damaged.
    const blocked = 'snapshot-00000008.db.tmp'
    mkdirSync(join(folder, blocked))
    await reopen(folder)
    expect(filesOf(folder, /damaged/)).toEqual([])
    // The next segment of the journal is being created meanwhile; leftovers would remain.
    const unfinished = () => readdirSync(folder).filter((name) => name.endsWith('.tmp'))
    await expect.poll(unfinished, { timeout: 10_000 }).toEqual([blocked])
    expect(existsSync(join(folder, 'notes.txt'))).toBe(true)
  })
  test('foreign keys cascade in the replay as before', async () => {
    const { db, folder } = await openStore()
    await db.write(async (tx) => {
      await sql`INSERT INTO parents (id) VALUES (1), (2)`.execute(tx.q)
      await sql`INSERT INTO children (id, parent) VALUES (10, 1), (11, 1), (20, 2)`.execute(tx.q)
    })
    await db.write((tx) => sql`DELETE FROM parents WHERE id = 1`.execute(tx.q))
    const live = await everything(db.read)
    const again = await openStore({ folder: copyAfterCrash(folder) })
    expect(await everything(again.db.read)).toEqual(live)
    expect((await sql`SELECT id FROM children`.execute(again.db.read)).rows).toEqual([{ id: 20 }])
  })
})

describe('a segment under the name of another', () => {
  test('is refused: no acknowledged data is omitted', async () => {
    const { db, folder: first } = await openStore()
    for (let id = 1; id <= 5; id += 1) await add(db, { id, name: null })
    // The next segment is created in the background.
    await expect.poll(() => filesOf(first, /^journal-.*\.log$/).length).toBe(2)
    const folder = copyAfterCrash(first)
    const [used = '', ready = ''] = filesOf(folder, /^journal-.*\.log$/)
    renameSync(used, `${used}.aside`)
    renameSync(ready, used)
    renameSync(`${used}.aside`, ready)
    await expect(openStore({ folder })).rejects.toThrow(/journal-\d+\.log.*its header cannot be read/)
    renameSync(used, `${used}.aside`)
    renameSync(ready, used)
    renameSync(`${used}.aside`, ready)
    expect(await reopen(folder)).toEqual([1, 2, 3, 4, 5])
  })
})

describe('a torn tail', () => {
  /** Simulates a kill in the middle of a group of three records; the mark is before them. */
  async function tornGroup() {
    const { db, folder } = await openStore()
    await add(db, { id: 1, name: null })
    await expect.poll(() => lastRecords(folder).marked === lastRecords(folder).end).toBe(true)
    const before = copyAfterCrash(folder)
    await Promise.all([2, 3, 4].map((id) => add(db, { id, name: null })))
    const after = lastRecords(folder)
    const last = lastRecords(before)
    const bytes = filesOf(folder, new RegExp(basename(after.file))).map((file) =>
      contentAt(file, last.end, after.end),
    )[0]
    return {
      folder: before,
      file: last.file,
      at: last.end,
      starts: after.starts,
      bytes: bytes ?? new Uint8Array(),
    }
  }
  function contentAt(file: string, from: number, to: number): Uint8Array {
    return Buffer.from(contentOf(join(file, '..'))[basename(file)] ?? '', 'base64').subarray(from, to)
  }

  test('of complete records after the mark is kept, because they were written', async () => {
    const { folder, file, at, bytes } = await tornGroup()
    overwrite(file, at, bytes)
    expect(await reopen(folder)).toEqual([1, 2, 3, 4])
  })
  test('whose first record is torn is truncated with all following records', async () => {
    const { folder, file, at, bytes } = await tornGroup()
    overwrite(file, at, bytes)
    flipBit(file, at + 20)
    const { db, log } = await openStore({ folder })
    expect(await ids(db.read)).toEqual([1])
    expect(log.lines.map(({ message }) => message)).toContain('cut an unacknowledged tail off the journal')
  })
  test('that was truncated is never read again, although the same numbers are reused', async () => {
    const { folder, file, at, bytes } = await tornGroup()
    overwrite(file, at, bytes)
    flipBit(file, at + 20)
    const first = await openStore({ folder })
    await add(first.db, { id: 7, name: null })
    await first.db.close()
    const second = await openStore({ folder })
    expect(await ids(second.db.read)).toEqual([1, 7])
  })
  test.each([1, 7, 16, 17, 20])('that ends after %d bytes of a record is truncated', async (length) => {
    const { folder, file, at, bytes } = await tornGroup()
    overwrite(file, at, bytes.subarray(0, length))
    expect(await reopen(folder)).toEqual([1])
  })
})

describe('damage in acknowledged data', () => {
  test.each([0, 1, 2, 3, 4])(
    'in record %d stops the start with a message, and changes nothing',
    async (index) => {
      const { db, folder: live } = await openStore()
      for (let id = 1; id <= 5; id += 1) await add(db, { id, name: `item ${id}` })
      await expect.poll(() => lastRecords(live).marked === lastRecords(live).end).toBe(true)
      const folder = copyAfterCrash(live)
      const { file, starts } = lastRecords(folder)
      flipBit(file, (starts[index] ?? 0) + 18)
      const before = contentOf(folder)
      const error = await openStore({ folder }).catch((caught: unknown) => caught)
      expect(error).toMatchObject({ name: 'StoreError', code: 'damaged' })
      expect(String(error)).toMatch(
        /journal-0{7}1\.log at byte \d+.*up to transaction \d+ can be read.*npm run restore/s,
      )
      expect(contentOf(folder)).toEqual(before)
    },
  )
  test('a truncated segment', async () => {
    const { db, folder } = await openStore()
    for (let id = 1; id <= 5; id += 1) await add(db, { id, name: null })
    await db.close()
    const { file, starts } = lastRecords(folder)
    truncate(file, (starts[3] ?? 0) + 5)
    await expect(openStore({ folder })).rejects.toThrow(/does not verify/)
  })
  test('a segment missing in the middle', async () => {
    const { db, folder } = await openStore()
    for (let id = 0; id < 12; id += 1) await add(db, { id, name: `${id}`.padEnd(64 * 1024, 'x') })
    await db.close()
    const files = filesOf(folder, /^journal-/)
    expect(files.length).toBeGreaterThanOrEqual(3)
    rmSync(files[1] ?? '')
    await expect(openStore({ folder })).rejects.toThrow(
      /The journal has a gap: transactions \d+ to \d+ are missing/,
    )
  })
  test('a segment header', async () => {
    const folder = await killed()
    flipBit(lastRecords(folder).file, 3)
    await expect(openStore({ folder })).rejects.toThrow(/header cannot be read/)
  })
  test('one of the two marks: the other is used', async () => {
    const folder = await killed()
    const { file } = lastRecords(folder)
    flipBit(file, 520)
    expect(await reopen(folder)).toEqual([1, 2, 3, 4, 5])
  })
})

test('a long replay ends in a snapshot before requests are served, so that a crash loop makes progress', async () => {
  const tuning = { segmentBytes: 1024 * 1024, journalTransactions: 40, transactionTimeoutMs: 300 }
  const large = { ...tuning, journalTransactions: 100_000 }
  const { db, folder } = await openStore({ tuning: large })
  for (let id = 0; id < 50; id += 1) await add(db, { id, name: null })
  const crashed = copyAfterCrash(folder)
  const before = filesOf(crashed, /^snapshot-.*\.db$/)
  const again = await openStore({ folder: crashed, tuning })
  expect(filesOf(crashed, /^snapshot-.*\.db$/).length).toBe(before.length + 1)
  expect(await ids(again.db.read)).toHaveLength(50)
  expect(await reopen(copyAfterCrash(crashed))).toHaveLength(50)
})
