import { readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { acquireLock } from '../../../server/db/engines/sqljs/lock/lock.ts'
import { loadSqlJs } from '../../../server/db/engines/sqljs/sqlite/sqljs.ts'
import { setDiskHook } from '../../../server/disk/hook.ts'
import { flipBit, truncate } from '../crash.ts'
import { largeItem, open, storeOf } from '../data-folder.ts'
import { add, contentOf, filesOf, ids, newFolder, openStore } from '../store.ts'
import { damageAll, killedWithSegments, recover, segment, snapshots } from './recovery-store.ts'

const everyItem = [1, 2, 3, 4, 5, 6, 7, 8, 9]

/** Damages, the items that remain, and the minimum number of transactions that are lost. */
const damages: [name: string, damage: (dataDir: string) => void, kept: number[], lost: number][] = [
  ['a damaged record', (d) => flipBit(segment(d, 3), 4096 + 30), [1, 2, 3, 4, 5, 6, 7, 8], 1],
  ['a missing last segment', (d) => rmSync(segment(d, 3)), [1, 2, 3, 4, 5, 6, 7, 8], 0],
  ['a gap in the journal', (d) => rmSync(segment(d, 2)), [1, 2, 3, 4], 5],
  ['no snapshot', (d) => damageAll(snapshots(d), (file) => rmSync(file)), everyItem, 0],
  ['all snapshots damaged', (d) => damageAll(snapshots(d), (file) => flipBit(file, 9000)), everyItem, 0],
  ['all snapshots truncated', (d) => damageAll(snapshots(d), (file) => truncate(file, 5000)), everyItem, 0],
  ['an emptied store/', (d) => damageAll(filesOf(storeOf(d), /./), (file) => rmSync(file)), [], 8],
  ['a damaged restore.json', (d) => writeFileSync(join(storeOf(d), 'restore.json'), '{"sta'), everyItem, 0],
]

describe('recover', () => {
  test.each(damages)(
    '%s: keeps verified data, sets the rest aside, and reports the loss',
    async (_, damage, kept, lost) => {
      const dataDir = await killedWithSegments()
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

      const { db, restoredFrom, clearRestore } = await open(dataDir)
      expect(restoredFrom).toMatchObject({
        recovered: { transaction: last, known: planned.knownTransaction },
      })
      const found = kept.length === 0 ? [] : kept
      expect(await ids(db.read)).toEqual(found)
      await add(db, largeItem(100))
      clearRestore()
      await db.close()
      expect(await ids((await open(dataDir)).db.read)).toEqual([...found, 100])
    },
  )
})

describe('recover', () => {
  test('does nothing on a store that opens', async () => {
    const dataDir = await killedWithSegments()
    flipBit(snapshots(dataDir).at(-1) ?? '', 9000)
    const before = contentOf(storeOf(dataDir))
    const report = await recover(dataDir, { apply: true })
    expect(report).toMatchObject({ problems: [], setAside: null, kept: { transaction: 10 } })
    expect(contentOf(storeOf(dataDir))).toEqual(before)
  })

  test('accepts once a log that is shorter than its signed head', async () => {
    const dataDir = await killedWithSegments()
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

  test('refuses if a process opens the store meanwhile', async () => {
    const dataDir = await killedWithSegments()
    const [run, hidden] = [join(storeOf(dataDir), 'run'), join(dataDir, 'run')]
    const lock = await acquireLock(storeOf(dataDir))
    renameSync(run, hidden)
    const now = (): Date => {
      // The time is read when the recovery begins.
      renameSync(hidden, run)
      return new Date()
    }
    await expect(recover(dataDir, { clock: { now } })).rejects.toMatchObject({ code: 'locked' })
    await lock.release()
  })

  test('refuses a store of a newer version', async () => {
    const dataDir = await killedWithSegments()
    await expect(recover(dataDir, { migrations: [] })).rejects.toMatchObject({ code: 'newer_schema' })
  })

  test('changes nothing if a crash interrupts it before the new snapshot is renamed', async () => {
    const dataDir = await killedWithSegments()
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
    const dataDir = await killedWithSegments()
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
    const dataDir = await killedWithSegments()
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
    const dataDir = await killedWithSegments()
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
