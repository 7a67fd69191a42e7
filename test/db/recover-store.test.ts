import { existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { readRecord } from '../../server/db/engines/sqljs/record/record-file.ts'
import { type RecoverOptions, recoverStore } from '../../server/db/engines/sqljs/recovery/recover-store.ts'
import { restoreBackup } from '../../server/db/engines/sqljs/recovery/restore.ts'
import { loadSqlJs } from '../../server/db/engines/sqljs/sqlite/sqljs.ts'
import { setDiskHook } from '../../server/disk/hook.ts'
import { copyAfterCrash, flipBit, lastRecords, truncate } from './crash.ts'
import { add, contentOf, filesOf, ids, memoryLogger, newFolder, openStore, testMigrations } from './store.ts'

const storeOf = (dataDir: string) => join(dataDir, 'store')
const open = (dataDir: string) => openStore({ folder: storeOf(dataDir), dataDir })
/** Copies the folder as a kill leaves it, after background work has ended. */
async function crashed(folder: string): Promise<string> {
  const unfinished = () =>
    [folder, storeOf(folder)].flatMap((path) => (existsSync(path) ? filesOf(path, /\.tmp$/) : []))
  await expect.poll(unfinished, { timeout: 10_000 }).toEqual([])
  return copyAfterCrash(folder)
}

const wide = (id: number) => ({ id, name: `${id}`.padEnd(60_000, 'x') })
const clock = { now: () => new Date('2026-11-22T10:00:00.000Z') }

const recover = (dataDir: string, options: Partial<RecoverOptions> = {}) =>
  recoverStore({
    folder: storeOf(dataDir),
    dataDir,
    knownAuditEntry: null,
    apply: false,
    logger: memoryLogger(),
    clock,
    migrations: testMigrations,
    ...options,
  })

/**
 * Creates items 1 to 9, a snapshot after 4, segments 1 (to 4), 2 (to 8) and 3. Item n is transaction n + 1,
 * the schema is 1.
 */
async function killed(): Promise<string> {
  const dataDir = newFolder()
  const { db } = await open(dataDir)
  for (let id = 1; id <= 9; id += 1) {
    await add(db, wide(id))
    if (id === 4) await db.checkpoint()
  }
  // From then on, damage to the last record is detected.
  await expect
    .poll(() => lastRecords(storeOf(dataDir)).marked === lastRecords(storeOf(dataDir)).end)
    .toBe(true)
  return await crashed(dataDir)
}

const snapshots = (dataDir: string) => filesOf(storeOf(dataDir), /^snapshot-.*\.db$/)

function damageAll(files: readonly string[], damage: (file: string) => void): void {
  for (const file of files) damage(file)
}
const segment = (dataDir: string, sequence: number) =>
  join(storeOf(dataDir), `journal-0000000${sequence}.log`)

describe('recover', () => {
  test.each<[name: string, damage: (dataDir: string) => void, kept: number[], lost: number]>([
    ['a damaged record', (d) => flipBit(segment(d, 3), 4096 + 30), [1, 2, 3, 4, 5, 6, 7, 8], 1],
    ['a lost last segment', (d) => rmSync(segment(d, 3)), [1, 2, 3, 4, 5, 6, 7, 8], 0],
    ['a gap', (d) => rmSync(segment(d, 2)), [1, 2, 3, 4], 5],
    ['no snapshot', (d) => damageAll(snapshots(d), (file) => rmSync(file)), [1, 2, 3, 4, 5, 6, 7, 8, 9], 0],
    [
      'all snapshots damaged',
      (d) => damageAll(snapshots(d), (file) => flipBit(file, 9000)),
      [1, 2, 3, 4, 5, 6, 7, 8, 9],
      0,
    ],
    [
      'all snapshots cut short',
      (d) => damageAll(snapshots(d), (file) => truncate(file, 5000)),
      [1, 2, 3, 4, 5, 6, 7, 8, 9],
      0,
    ],
    ['store/ emptied', (d) => damageAll(filesOf(storeOf(d), /./), (file) => rmSync(file)), [], 8],
    [
      'a damaged note of a restore',
      (d) => writeFileSync(join(storeOf(d), 'restore.json'), '{"sta'),
      [1, 2, 3, 4, 5, 6, 7, 8, 9],
      0,
    ],
  ])('%s: keeps verified data, sets the rest aside, and reports the loss', async (_, damage, kept, lost) => {
    const dataDir = await killed()
    damage(dataDir)
    const before = [contentOf(dataDir), contentOf(storeOf(dataDir))]
    await expect(open(dataDir)).rejects.toThrow(/npm run recover -- --data/)

    const planned = await recover(dataDir)
    expect([contentOf(dataDir), contentOf(storeOf(dataDir))]).toEqual(before)
    expect(planned.problems).not.toEqual([])
    expect(planned.setAside).toBeNull()
    const last = kept.length === 0 ? 0 : kept.length + 1
    expect(planned.kept.transaction).toBe(last)
    expect(planned.knownTransaction - last).toBeGreaterThanOrEqual(lost)

    const done = await recover(dataDir, { apply: true })
    expect(done).toEqual({
      ...planned,
      setAside: join(storeOf(dataDir), 'set-aside-2026-11-22T10-00-00-000Z'),
    })
    const aside = readdirSync(done.setAside ?? '')
    for (const name of Object.keys(before[1] ?? {}).filter((file) =>
      /^(?:journal|snapshot)-\d+\.(?:db|json|log)$/.test(file),
    ))
      expect(aside).toContain(name)

    const { db, restoredFrom, forgetRestore } = await open(dataDir)
    expect(restoredFrom).toMatchObject({ recovered: { transaction: last, known: planned.knownTransaction } })
    const found = kept.length === 0 ? [] : kept
    expect(await ids(db.read)).toEqual(found)
    await add(db, wide(100))
    forgetRestore()
    await db.close()
    expect(await ids((await open(dataDir)).db.read)).toEqual([...found, 100])
  })

  test('does nothing on a store that opens', async () => {
    const dataDir = await killed()
    flipBit(snapshots(dataDir).at(-1) ?? '', 9000)
    const before = contentOf(storeOf(dataDir))
    const report = await recover(dataDir, { apply: true })
    expect(report).toMatchObject({ problems: [], setAside: null, kept: { transaction: 10 } })
    expect(contentOf(storeOf(dataDir))).toEqual(before)
  })

  test('accepts once a log that is shorter than its signed head', async () => {
    const dataDir = await killed()
    const knownAuditEntry = async () => 7
    const options = { folder: storeOf(dataDir), dataDir, knownAuditEntry }
    await expect(openStore(options)).rejects.toMatchObject({ code: 'incomplete' })
    const report = await recover(dataDir, { apply: true, knownAuditEntry: 7 })
    expect(report).toMatchObject({ knownAuditEntry: 7, kept: { auditEntry: 0, transaction: 10 } })
    expect(report.problems.join()).toContain('audit-head.json proves that entry 7 was written')
    await (await openStore(options)).db.close()
  })

  test('refuses while a service owns the folder', async () => {
    const dataDir = newFolder()
    await open(dataDir)
    await expect(recover(dataDir, { apply: true })).rejects.toMatchObject({ code: 'locked' })
  })

  test('refuses a store of a newer version', async () => {
    const dataDir = await killed()
    await expect(recover(dataDir, { migrations: [] })).rejects.toMatchObject({ code: 'newer_schema' })
  })

  test('changes nothing if a crash interrupts it before the new snapshot is renamed', async () => {
    const dataDir = await killed()
    rmSync(segment(dataDir, 3))
    const marker = {
      state: 'placing',
      generation: 4,
      file: 'x',
      at: '2026-11-22T10:00:00.000Z',
      replaced: 'replaced-2026-11-22T10-00-00-000Z',
    }
    writeFileSync(join(storeOf(dataDir), 'restore.json'), JSON.stringify(marker))
    await expect(open(dataDir)).rejects.toMatchObject({ code: 'incomplete' })
    expect(filesOf(storeOf(dataDir), /^journal-/).length).toBeGreaterThan(0)
  })
})

describe('recover, when a read or memory fails,', () => {
  afterEach(() => setDiskHook(undefined))

  test('reports its result although the lock cannot be released', async () => {
    const dataDir = await killed()
    flipBit(segment(dataDir, 3), 4096 + 30)
    setDiskHook({
      before({ call, path }) {
        if (call === 'rm' && path === join(storeOf(dataDir), 'owner.json'))
          throw Object.assign(new Error(`EBUSY: ${call} '${path}'`), { code: 'EBUSY' })
      },
    })
    expect((await recover(dataDir, { apply: true })).setAside).not.toBeNull()
  })

  test.each(['EIO', 'EMFILE'])('does not treat %s of an intact file as damage', async (code) => {
    const dataDir = await killed()
    flipBit(segment(dataDir, 3), 4096 + 30)
    const { kept } = await recover(dataDir)
    const before = contentOf(storeOf(dataDir))
    setDiskHook({
      before({ call, path }) {
        if (call !== 'close' && path === segment(dataDir, 2))
          throw Object.assign(new Error(`${code}: ${call} '${path}'`), { code })
      },
    })
    const failing = recover(dataDir, { apply: true })
    await expect(failing).rejects.toThrow(/Nothing was deleted\. Correct the cause and run it again/)
    expect(contentOf(storeOf(dataDir))).toEqual(before)
    setDiskHook(undefined)
    expect((await recover(dataDir, { apply: true })).kept).toEqual(kept)
  })

  test.each([
    ['a refused statement', new Error('out of memory')],
    ['a trap', new WebAssembly.RuntimeError('memory access out of bounds')],
  ])('does not treat %s as damage, and the start names memory', async (_, failure) => {
    const dataDir = await killed()
    flipBit(segment(dataDir, 3), 4096 + 30)
    const { kept } = await recover(dataDir)
    const probe = new (await loadSqlJs()).Database()
    const prototype = Object.getPrototypeOf(probe.prepare('SELECT 1'))
    probe.close()
    const step = vi.spyOn(prototype, 'step').mockImplementation(() => {
      throw failure
    })
    try {
      await expect(open(dataDir)).rejects.toThrow(/not enough memory to open the store/)
      await expect(recover(dataDir, { apply: true })).rejects.toThrow(/Correct the cause/)
    } finally {
      step.mockRestore()
    }
    expect((await recover(dataDir, { apply: true })).kept).toEqual(kept)
  })
})

describe('restore', () => {
  test('rewrites the record and reports what is lost', async () => {
    const dataDir = newFolder()
    const { db } = await open(dataDir)
    await add(db, wide(1))
    const file = join(newFolder(), 'backup.sqlite')
    await db.backup(file)
    for (const id of [2, 3, 4]) await add(db, wide(id))
    await db.close()
    const options = {
      folder: storeOf(dataDir),
      dataDir,
      file,
      logger: memoryLogger(),
      migrations: testMigrations,
    }
    const { lost } = await restoreBackup(options)
    expect(lost).toEqual(['3 transactions (3 to 5)'])
    expect(readRecord(dataDir)).toMatchObject({ kind: 'read', record: { transaction: 2, segment: null } })
    const again = await open(dataDir)
    expect(await ids(again.db.read)).toEqual([1])
    await again.db.close()
    expect(await ids((await open(dataDir)).db.read)).toEqual([1])
  })

  test('starts after a kill before the record was rewritten', async () => {
    const dataDir = newFolder()
    const { db } = await open(dataDir)
    await add(db, wide(1))
    const file = join(newFolder(), 'backup.sqlite')
    await db.backup(file)
    await add(db, wide(2))
    await db.close()
    // Without the data folder the record is not rewritten, as after a kill at that moment.
    await restoreBackup({
      folder: storeOf(dataDir),
      file,
      logger: memoryLogger(),
      migrations: testMigrations,
    })
    expect(await ids((await open(dataDir)).db.read)).toEqual([1])
  })

  test('into a folder whose store was deleted', async () => {
    const dataDir = newFolder()
    const { db } = await open(dataDir)
    await add(db, wide(1))
    const file = join(newFolder(), 'backup.sqlite')
    await db.backup(file)
    await db.close()
    rmSync(storeOf(dataDir), { recursive: true })
    mkdirSync(storeOf(dataDir))
    await expect(open(dataDir)).rejects.toMatchObject({ code: 'incomplete' })
    const options = {
      folder: storeOf(dataDir),
      dataDir,
      file,
      logger: memoryLogger(),
      migrations: testMigrations,
    }
    expect((await restoreBackup(options)).lost).toEqual([])
    expect(await ids((await open(dataDir)).db.read)).toEqual([1])
  })
})
