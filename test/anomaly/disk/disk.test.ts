import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { copyAfterCrash } from '../../db/crash.ts'
import { add, filesOf, ids, insert, newFolder, openStore } from '../../db/store.ts'
import { createFaults, setFault } from '../../support/disk-faults.mjs'

const large = (id: number) => ({ id, name: `${id}`.padEnd(60_000, 'x') })
const tuning = { segmentBytes: 128 * 1024, transactionTimeoutMs: 300 }

async function openWithFaults() {
  const folder = newFolder()
  const faults = await createFaults(folder)
  const fatal: Error[] = []
  const store = await openStore({ folder, tuning, onFatal: (error) => fatal.push(error) })
  return { ...store, faults, fatal }
}

describe('a disk without space for the journal', () => {
  test.each(['ENOSPC', 'EDQUOT'] as const)(
    '%s: 507, nothing is stored, and writes continue when there is space',
    async (code) => {
      const { db, faults, fatal, folder } = await openWithFaults()
      setFault(faults, 'journal.reserve', code)
      let stored = 0
      const firstError = async (): Promise<unknown> => {
        for (; stored < 10; stored += 1) {
          try {
            await add(db, large(stored + 1))
          } catch (error) {
            return error
          }
        }
        return undefined
      }
      expect(await firstError()).toMatchObject({ code: 'store.full', status: 507 })
      const before = Array.from({ length: stored }, (_, index) => index + 1)
      expect(await ids(db.read)).toEqual(before)
      await expect(add(db, large(stored + 1))).rejects.toMatchObject({ code: 'store.full' })
      expect(db.status()).toMatchObject({ state: 'open', committed: db.status().synced })

      setFault(faults, 'journal.reserve', null)
      await add(db, large(100))
      expect(await ids(db.read)).toEqual([...before, 100])
      expect(fatal).toEqual([])
      await db.close()
      expect(await ids((await openStore({ folder })).db.read)).toEqual([...before, 100])
    },
  )
  test.each(['EACCES', 'EIO'] as const)('%s is 503, not "full"', async (code) => {
    const { db, faults } = await openWithFaults()
    await add(db, large(1))
    setFault(faults, 'journal.reserve', code)
    const results = await Promise.allSettled([2, 3, 4, 5].map((id) => add(db, large(id))))
    const [refused] = results.filter((result) => result.status === 'rejected')
    expect(refused?.reason).toMatchObject({ code: 'store.unavailable', status: 503 })
  })
  test('leaves no partial segment', async () => {
    const { db, faults, folder } = await openWithFaults()
    setFault(faults, 'journal.reserve', 'ENOSPC')
    await Promise.allSettled([1, 2, 3, 4].map((id) => add(db, large(id))))
    // The next segment is created in the background; a failing attempt may outlive the replies, but ends.
    await expect.poll(() => filesOf(folder, /\.tmp$/), { timeout: 10_000 }).toEqual([])
  })
})

describe('a start on a disk without space for the journal', () => {
  test('the store serves reads, refuses writes, and continues when there is space', async () => {
    const { db, folder } = await openWithFaults()
    await add(db, { id: 1, name: 'a' })
    await db.close()
    const faults = await createFaults(folder)
    setFault(faults, 'journal.reserve', 'ENOSPC')
    const again = await openStore({ folder })
    expect(await ids(again.db.read)).toEqual([1])
    expect(again.db.status()).toMatchObject({ state: 'open', diskFullSince: expect.any(Date) })
    await expect(add(again.db, { id: 2, name: 'b' })).rejects.toMatchObject({ code: 'store.full' })
    const deletion = again.db.write((tx) => sql`DELETE FROM items`.execute(tx.q), { evenWhenFull: true })
    await expect(deletion).rejects.toMatchObject({ code: 'store.full' })
    setFault(faults, 'journal.reserve', null)
    await add(again.db, { id: 2, name: 'b' })
    expect(again.db.status().diskFullSince).toBeNull()
    await again.db.close()
    expect(await ids((await openStore({ folder })).db.read)).toEqual([1, 2])
  })
  test('any other error has a readable message, and releases the folder', async () => {
    const { db, folder } = await openWithFaults()
    await add(db, { id: 1, name: 'a' })
    await db.close()
    const faults = await createFaults(folder)
    setFault(faults, 'journal.reserve', 'EACCES')
    await expect(openStore({ folder })).rejects.toThrow(/The journal in .* cannot be started: EACCES/)
    setFault(faults, 'journal.reserve', null)
    expect(await ids((await openStore({ folder })).db.read)).toEqual([1])
  })
})

describe('a disk that fails under an append', () => {
  test.each(['journal.write', 'journal.sync'] as const)(
    '%s: nothing is acknowledged, and the store stops',
    async (point) => {
      const { db, faults, fatal, folder } = await openWithFaults()
      await add(db, { id: 1, name: 'kept' })
      const calls: string[] = []
      setFault(faults, point, 'EIO')
      const writes = [2, 3, 4].map((id) =>
        db.write(async (tx) => {
          tx.afterCommit(() => calls.push('announced'))
          await insert(tx.q, { id, name: null })
        }),
      )
      const results = await Promise.allSettled(writes)
      for (const result of results) {
        expect(result).toMatchObject({
          status: 'rejected',
          reason: { code: 'store.unavailable', status: 503 },
        })
      }
      expect(calls).toEqual([])
      expect(fatal.map(({ message }) => message)).toEqual([`EIO: injected at ${point}`])
      expect(db.status().state).toBe('failed')

      await expect(ids(db.read)).rejects.toMatchObject({ code: 'store.unavailable' })
      await expect(db.settled()).rejects.toMatchObject({ code: 'store.unavailable' })
      await expect(add(db, { id: 5, name: null })).rejects.toMatchObject({ code: 'store.unavailable' })
      const next = await openStore({ folder: copyAfterCrash(folder) })
      expect(await ids(next.db.read)).toContain(1)
      expect(await ids(next.db.read)).not.toContain(5)
    },
  )
  test('after it, the store still closes and releases the folder', async () => {
    const { db, faults, folder } = await openWithFaults()
    setFault(faults, 'journal.sync', 'EIO')
    await add(db, { id: 1, name: null }).catch(() => {})
    await db.close()
    setFault(faults, 'journal.sync', null)
    await openStore({ folder })
  })
})

describe('a disk that fails under a snapshot', () => {
  test.each(['snapshot.write', 'snapshot.sync', 'snapshot.rename'] as const)(
    '%s: the checkpoint fails, writes continue, no partial file is left',
    async (point) => {
      const { db, faults, folder, fatal } = await openWithFaults()
      await add(db, { id: 1, name: 'a' })
      setFault(faults, point, 'ENOSPC')
      await expect(db.checkpoint()).rejects.toThrow(/ENOSPC/)
      await add(db, { id: 2, name: 'b' })
      expect(filesOf(folder, /^snapshot-.*\.db$/)).toHaveLength(1)
      expect(filesOf(folder, /^snapshot-.*\.tmp$/)).toEqual([])
      setFault(faults, point, null)
      await db.checkpoint()
      expect(fatal).toEqual([])
      expect(await ids((await openStore({ folder: copyAfterCrash(folder) })).db.read)).toEqual([1, 2])
    },
  )
  test('an automatic checkpoint that failed is logged and tried again later', async () => {
    const folder = newFolder()
    const faults = await createFaults(folder)
    const { db, log } = await openStore({ folder, tuning: { ...tuning, journalTransactions: 10 } })
    setFault(faults, 'snapshot.write', 'ENOSPC')
    for (let id = 0; id < 15; id += 1) await add(db, { id, name: null })
    const messages = () => log.lines.map(({ message }) => message)
    await expect
      .poll(messages, { timeout: 10_000 })
      .toContain('the checkpoint failed; the journal keeps everything')
    setFault(faults, 'snapshot.write', null)
    await db.close()
    expect(filesOf(folder, /^snapshot-.*\.db$/)).toHaveLength(2)
  })
})

describe('a store at its limit', () => {
  const limited = () => openStore({ maxStoreBytes: 2 * 1024 * 1024, tuning })

  test('refuses writes with 507 and a remedy, keeps its data, and still allows sign-in and deletion', async () => {
    const { db } = await limited()
    let id = 0
    const fill = async (): Promise<never> => {
      for (;;) {
        id += 1
        await add(db, large(id))
      }
    }
    const error = await fill().catch((caught: unknown) => caught)
    expect(error).toMatchObject({ code: 'store.full', status: 507 })
    expect(String(error)).toMatch(/MAX_STORE_MB/)
    expect(db.status().isFull).toBe(true)
    await db.write((tx) => insert(tx.q, { id: 1000, name: 'a session' }), { evenWhenFull: true })
    expect(await ids(db.read)).toContain(1000)
    await db.write(
      async (tx) => {
        for (let old = 1; old < id; old += 1) await sql`DELETE FROM items WHERE id = ${old}`.execute(tx.q)
      },
      { evenWhenFull: true },
    )
    expect(db.status().isFull).toBe(false)
    await add(db, { id: 2000, name: 'welcome' })
  })
})
