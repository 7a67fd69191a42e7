import { afterEach, describe, expect, test, vi } from 'vitest'
import { add, ids, insert, openStore } from '../store.ts'

afterEach(() => vi.useRealTimers())

describe('deadlocks', () => {
  test('a read on db.read inside write fails, names the cause, and leaves no changes', async () => {
    const { db } = await openStore()
    const write = db.write(async (tx) => {
      await insert(tx.q, { id: 1, name: 'a' })
      await ids(db.read)
    })
    await expect(write).rejects.toThrow(/waited for itself: inside db\.write only tx\.q reads/)
    expect(await ids(db.read)).toEqual([])
    await add(db, { id: 2, name: 'b' })
    expect(await ids(db.read)).toEqual([2])
  })
  test('a write inside write fails the outer one', async () => {
    const { db } = await openStore()
    const outer = db.write(async (tx) => {
      await insert(tx.q, { id: 1, name: 'a' })
      await add(db, { id: 2, name: 'b' })
    })
    await expect(outer).rejects.toThrow(/waited for itself/)
    expect(await ids(db.read)).not.toContain(1)
  })
  test('a read from elsewhere waits until the blocked transaction is undone, and succeeds', async () => {
    const { db } = await openStore()
    await add(db, { id: 1, name: 'a' })
    let other: Promise<number[]> | undefined
    const write = db.write(async (tx) => {
      await insert(tx.q, { id: 2, name: 'b' })
      other = ids(db.read)
      await ids(db.read)
    })
    await expect(write).rejects.toThrow(/waited for itself/)
    expect(await other).toEqual([1])
  })
  test('a transaction that takes longer than the limit, but executes statements, is not undone', async () => {
    const { db } = await openStore({ tuning: { transactionTimeoutMs: 50, segmentBytes: 256 * 1024 } })
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    await db.write(async (tx) => {
      for (const id of [1, 2, 3, 4, 5]) {
        await insert(tx.q, { id, name: null })
        await vi.advanceTimersByTimeAsync(40)
      }
    })
    expect(await ids(db.read)).toEqual([1, 2, 3, 4, 5])
  })
  test('a long queue of writers is not an error', async () => {
    const { db } = await openStore({ tuning: { transactionTimeoutMs: 50, segmentBytes: 256 * 1024 } })
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    const slow = (id: number) =>
      db.write(async (tx) => {
        vi.advanceTimersByTime(10)
        await insert(tx.q, { id, name: null })
      })
    await Promise.all(Array.from({ length: 12 }, (_, id) => slow(id)))
    expect(await ids(db.read)).toHaveLength(12)
  })
})

describe('an attempt', () => {
  test('that fails rolls back only its own rows and callbacks, also after a restart', async () => {
    const { db, folder } = await openStore()
    const calls: string[] = []
    await db.write(async (tx) => {
      await insert(tx.q, { id: 1, name: 'before' })
      const failed = tx.attempt(async () => {
        tx.afterCommit(() => calls.push('inner'))
        await insert(tx.q, { id: 2, name: 'inner' })
        await insert(tx.q, { id: 2, name: 'again' })
      })
      await expect(failed).rejects.toThrow(/UNIQUE/)
      await insert(tx.q, { id: 3, name: 'after' })
      tx.afterCommit(() => calls.push('outer'))
    })
    expect(await ids(db.read)).toEqual([1, 3])
    expect(calls).toEqual(['outer'])
    await db.close()
    expect(await ids((await openStore({ folder })).db.read)).toEqual([1, 3])
  })
  test('that succeeds keeps everything, including nested ones', async () => {
    const { db, folder } = await openStore()
    await db.write((tx) =>
      tx.attempt(async () => {
        await insert(tx.q, { id: 1, name: null })
        await tx.attempt(() => insert(tx.q, { id: 2, name: null }))
        await tx.attempt(() => insert(tx.q, { id: 1, name: null })).catch(() => {})
      }),
    )
    await db.close()
    expect(await ids((await openStore({ folder })).db.read)).toEqual([1, 2])
  })
})
