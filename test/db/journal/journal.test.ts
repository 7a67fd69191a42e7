import { pbkdf2 } from 'node:crypto'
import { readFileSync, statSync } from 'node:fs'
import { setImmediate } from 'node:timers/promises'
import fc from 'fast-check'
import { sql } from 'kysely'
import { describe, expect, test, vi } from 'vitest'
import { decodeOperations, encodeOperations } from '../../../server/db/engines/sqljs/format/operations.ts'
import { readSegment, recordsOf, type Segment } from '../../../server/db/engines/sqljs/format/segment.ts'
import type { SqlValue } from '../../../server/db/values.ts'
import { lastRecords } from '../crash.ts'
import { add, filesOf, ids, insert, items, openStore } from '../store.ts'

const segmentsOf = (folder: string): Segment[] =>
  filesOf(folder, /^journal-.*\.log$/)
    .map(readSegment)
    .filter((segment) => segment !== undefined)

const value: fc.Arbitrary<SqlValue> = fc.oneof(
  fc.constant(null),
  fc.maxSafeInteger().map((n) => (n === 0 ? 0 : n)),
  fc.double({ noNaN: true, noDefaultInfinity: true }).map((n) => (n === 0 ? 0 : n)),
  fc.string({ unit: 'grapheme' }),
  fc.uint8Array(),
)

test('every valid parameter value is read back from the journal exactly', () => {
  const operation = fc.record({
    sql: fc.constantFrom('a', 'bb', 'ccc', 'x'.repeat(7000)),
    parameters: fc.array(value),
  })
  fc.assert(
    fc.property(fc.array(fc.array(operation)), (transactions) => {
      const known = new Map<string, number>()
      const read = new Map<number, string>()
      for (const operations of transactions) {
        const { record, added } = encodeOperations(operations, known, 16)
        for (const text of added) known.set(text, known.size)
        expect(decodeOperations(record.subarray(16), read)).toEqual(operations)
      }
    }),
    { numRuns: 200 },
  )
})

test('a truncated record is decoded to an error, never to other data', () => {
  const { record } = encodeOperations([{ sql: 'INSERT', parameters: ['text', 1, 2.5, null] }], new Map())
  for (let length = 1; length < record.length; length += 1) {
    expect(() => {
      const [operation] = decodeOperations(record.subarray(0, length), new Map())
      if (operation === undefined) throw new Error('nothing')
    }).toThrow()
  }
})

describe('group commit', () => {
  test('concurrent writes share syncs', async () => {
    const { db, folder } = await openStore()
    await Promise.all(Array.from({ length: 300 }, (_, id) => add(db, { id, name: null })))
    const marks = segmentsOf(folder).reduce((sum, { mark }) => sum + (mark?.count ?? 0), 0)
    expect(marks).toBeLessThan(60)
    expect(await ids(db.read)).toHaveLength(300)
  })
  test('a single write is synced without delay', async () => {
    const { db } = await openStore()
    for (let id = 0; id < 5; id += 1) {
      await add(db, { id, name: null })
      expect(db.status().synced).toBe(db.status().committed)
    }
  })
  test('continues after a wake without a job', async () => {
    const notify = vi.spyOn(Atomics, 'notify')
    const { db } = await openStore()
    await add(db, { id: 1, name: null })
    const [memory, index] = notify.mock.calls.at(-1) as Parameters<typeof Atomics.notify>
    // A wake is late if the system suspends this thread before it, while the other one runs the job and waits again.
    while (Atomics.notify(memory, index) === 0) await setImmediate()
    await add(db, { id: 2, name: null })
    expect(await ids(db.read)).toEqual([1, 2])
  })
  test('is not delayed by a busy thread pool', async () => {
    const { db } = await openStore()
    let finished = 0
    const hashes = Array.from(
      { length: 12 },
      () =>
        new Promise<void>((resolve) =>
          pbkdf2('a', 'b', 30_000, 64, 'sha512', () => resolve(void finished++)),
        ),
    )
    await add(db, { id: 1, name: null })
    expect(finished).toBeLessThan(12)
    await Promise.all(hashes)
  })
})

describe('preallocation', () => {
  test('happens in advance: appending does not change the file size', async () => {
    const { db, folder } = await openStore()
    const [file = ''] = filesOf(folder, /^journal-00000001/)
    const before = statSync(file).size
    for (let id = 0; id < 20; id += 1) await add(db, { id, name: `n${id}` })
    expect(statSync(file).size).toBe(before)
    expect(before).toBe(256 * 1024)
  })
  test('continues in the next segment, each with its own dictionary, truncated at its last record', async () => {
    const { db, folder } = await openStore()
    for (let id = 0; id < 12; id += 1) await add(db, { id, name: `${id}`.padEnd(64 * 1024, 'x') })
    const used = segmentsOf(folder).filter(({ mark }) => mark !== undefined)
    expect(used.length).toBeGreaterThanOrEqual(3)
    for (const { mark, bytes, header } of used.slice(0, -1)) {
      expect(mark?.isClosed).toBe(true)
      expect(bytes.length).toBe(mark?.offset)
      expect(header.capacity).toBe(256 * 1024)
    }
    for (const { bytes } of used)
      expect(bytes.toString('latin1').split('INSERT INTO items').length - 1).toBe(1)
    await db.close()
    expect(await ids((await openStore({ folder })).db.read)).toHaveLength(12)
  })
  test('is large enough for a transaction larger than a segment', async () => {
    const { db, folder } = await openStore()
    const big = 'x'.repeat(3 * 1024 * 1024)
    await db.write(async (tx) => {
      await insert(tx.q, { id: 1, name: big })
      await insert(tx.q, { id: 2, name: 'small' })
    })
    await add(db, { id: 3, name: 'after' })
    await db.close()
    const again = await openStore({ folder })
    expect((await items(again.db.read)).map(({ name }) => name?.length)).toEqual([big.length, 5, 5])
  })
})

test('a text is written once per segment, then replaced by its number', async () => {
  const { db, folder } = await openStore()
  for (let id = 0; id < 50; id += 1) await add(db, { id, name: null })
  const { starts, end } = lastRecords(folder)
  const sizes = [...starts.slice(1), end].map((next, index) => next - (starts[index] ?? 0))
  expect(Math.max(...sizes.slice(2))).toBeLessThan(40)
})

test('more distinct texts than the dictionary can contain are written', async () => {
  const { db, folder } = await openStore()
  await db.write(async (tx) => {
    for (let id = 0; id < 1200; id += 1)
      await sql`INSERT INTO items (id, n) VALUES (${sql.lit(id)}, 1)`.execute(tx.q)
  })
  await db.close()
  expect(await ids((await openStore({ folder })).db.read)).toHaveLength(1200)
})

test('the mark follows the last sync automatically, so that damage in acknowledged records is detected', async () => {
  const { db, folder } = await openStore()
  await add(db, { id: 1, name: null })
  await expect.poll(() => lastRecords(folder).marked === lastRecords(folder).end).toBe(true)
})

test('bytes of another segment are never accepted as records of this one', async () => {
  const { db, folder } = await openStore()
  await add(db, { id: 1, name: null })
  await db.close()
  const [file = ''] = filesOf(folder, /^journal-/)
  const segment = readSegment(file)
  if (segment === undefined) throw new Error('unreadable')
  expect([...recordsOf(segment)].length).toBeGreaterThan(0)
  const other = { ...segment, header: { ...segment.header, salt: (segment.header.salt ^ 1) >>> 0 } }
  expect([...recordsOf(other)]).toEqual([])
  expect(readFileSync(file).toString('latin1', 0, 8)).toBe('PDJRNL01')
})
