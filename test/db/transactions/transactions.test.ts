import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import type { Query } from '../../../server/db/types.ts'
import { add, ids, insert, openStore } from '../store.ts'

function createSignal() {
  let send = (): void => {}
  const received = new Promise<void>((resolve) => {
    send = resolve
  })
  return { received, send: () => send() }
}

describe('one transaction', () => {
  test('returns the result of its work, durably', async () => {
    const { db } = await openStore()
    expect(await db.write(async (tx) => insert(tx.q, { id: 1, name: 'a' }).then(() => 'done'))).toBe('done')
    const { committed, synced } = db.status()
    expect(synced).toBe(committed)
  })
  test('that throws leaves no changes, rethrows the error and runs no callbacks', async () => {
    const { db } = await openStore()
    const before = db.status().committed
    const calls: string[] = []
    const write = db.write(async (tx) => {
      tx.afterCommit(() => calls.push('announced'))
      await insert(tx.q, { id: 1, name: 'a' })
      throw new Error('changed my mind')
    })
    await expect(write).rejects.toThrow('changed my mind')
    expect(await ids(db.read)).toEqual([])
    expect(calls).toEqual([])
    expect(db.status().committed).toBe(before)
  })
  test('is refused with a plain message once the store is closed, and so is a read', async () => {
    const { db } = await openStore()
    await db.close()
    const refused = { code: 'store.unavailable', extra: { detail: 'The store is closed.' } }
    await expect(db.write((tx) => ids(tx.q))).rejects.toMatchObject(refused)
    await expect(ids(db.read)).rejects.toMatchObject(refused)
  })
  test('that changes nothing uses no number', async () => {
    const { db } = await openStore()
    const before = db.status().committed
    expect(await db.write((tx) => ids(tx.q))).toEqual([])
    expect(db.status().committed).toBe(before)
  })
  test('whose COMMIT fails on a deferred key is rolled back, and the next one works', async () => {
    const { db } = await openStore()
    const orphan = db.write((tx) => sql`INSERT INTO children (id, parent) VALUES (1, 9)`.execute(tx.q))
    await expect(orphan).rejects.toThrow(/FOREIGN KEY constraint failed/)
    await add(db, { id: 1, name: 'a' })
    expect((await sql`SELECT * FROM children`.execute(db.read)).rows).toEqual([])
  })
  test('that has ended runs no more statements', async () => {
    const { db } = await openStore()
    let ended: Query | undefined
    await db.write(async (tx) => {
      ended = tx.q
      await insert(tx.q, { id: 1, name: 'a' })
    })
    await expect(ids(ended as Query)).rejects.toThrow(/transaction has ended/)
  })
})

describe('many at once', () => {
  test('run one at a time, in order of arrival', async () => {
    const { db } = await openStore()
    const steps: string[] = []
    const writes = [1, 2, 3].map((id) =>
      db.write(async (tx) => {
        steps.push(`begin ${id}`)
        await new Promise((resolve) => setImmediate(resolve))
        await insert(tx.q, { id, name: null })
        steps.push(`end ${id}`)
      }),
    )
    await Promise.all(writes)
    expect(steps).toEqual(['begin 1', 'end 1', 'begin 2', 'end 2', 'begin 3', 'end 3'])
  })
  test('a failed one does not delay the others', async () => {
    const { db } = await openStore()
    const results = await Promise.allSettled([
      add(db, { id: 1, name: 'a' }),
      add(db, { id: 1, name: 'b' }),
      add(db, { id: 2, name: 'c' }),
    ])
    expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled'])
    expect(await ids(db.read)).toEqual([1, 2])
  })
  test('callbacks run after the sync, in the order of commits, each before its write resolves', async () => {
    const { db } = await openStore()
    const seen: number[] = []
    const order: number[] = []
    await Promise.all(
      Array.from({ length: 40 }, (_, index) =>
        db
          .write(async (tx) => {
            tx.afterCommit(() => {
              expect(db.status().synced).toBeGreaterThanOrEqual(index + 1)
              order.push(index)
            })
            await insert(tx.q, { id: index, name: null })
          })
          .then(() => {
            expect(order).toContain(index)
            seen.push(index)
          }),
      ),
    )
    expect(order).toEqual(Array.from({ length: 40 }, (_, index) => index))
    expect(seen).toHaveLength(40)
  })
  test('a callback that throws is logged and has no other effect', async () => {
    const { db, log } = await openStore()
    await db.write(async (tx) => {
      tx.afterCommit(() => {
        throw new Error('no listener')
      })
      await insert(tx.q, { id: 1, name: 'a' })
    })
    await add(db, { id: 2, name: 'b' })
    expect(log.lines).toContainEqual({
      level: 'error',
      message: 'a callback after commit failed',
      details: { reason: 'no listener' },
    })
  })
})

describe('reads beside a transaction', () => {
  test('never see its rows before it ends, and run right after it', async () => {
    const { db } = await openStore()
    const [begun, mayContinue] = [createSignal(), createSignal()]
    const write = db.write(async (tx) => {
      await insert(tx.q, { id: 1, name: 'a' })
      begun.send()
      await mayContinue.received
      throw new Error('undone')
    })
    await begun.received
    const read = ids(db.read)
    mayContinue.send()
    await expect(write).rejects.toThrow('undone')
    expect(await read).toEqual([])
  })
  test('run between two transactions, even if many are queued', async () => {
    const { db } = await openStore()
    const [begun, mayContinue] = [createSignal(), createSignal()]
    const first = db.write(async (tx) => {
      await insert(tx.q, { id: 1, name: null })
      begun.send()
      await mayContinue.received
    })
    await begun.received
    const later = [2, 3, 4].map((id) => add(db, { id, name: null }))
    const read = ids(db.read)
    mayContinue.send()
    expect(await read).toEqual([1])
    await Promise.all([first, ...later])
  })
  test('settled() waits until the data they returned is on disk', async () => {
    const { db } = await openStore()
    const write = add(db, { id: 1, name: 'a' })
    while ((await ids(db.read)).length === 0);
    await db.settled()
    expect(db.status().synced).toBe(db.status().committed)
    await write
  })
})

test('after close everything is refused, and a second close has no effect', async () => {
  const { db } = await openStore()
  await add(db, { id: 1, name: 'a' })
  await Promise.all([db.close(), db.close()])
  await expect(ids(db.read)).rejects.toMatchObject({ code: 'store.unavailable' })
  await expect(add(db, { id: 2, name: 'b' })).rejects.toMatchObject({ code: 'store.unavailable' })
  expect(db.status().state).toBe('closed')
})

test('queued writes are kept when close is called', async () => {
  const { db, folder } = await openStore()
  const writes = Array.from({ length: 20 }, (_, id) => add(db, { id, name: null }))
  await Promise.all([...writes, db.close()])
  expect(await ids((await openStore({ folder })).db.read)).toHaveLength(20)
})
