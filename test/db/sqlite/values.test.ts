import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { add, insert, items, openStore, sharedStore } from '../store.ts'

const { db } = await sharedStore()
let lastId = 0

const storeAndRead = async (value: { x?: number; n?: number; name?: string }) => {
  lastId += 1
  const id = lastId
  await add(db, { id, name: null, ...value })
  return { id, row: (await items(db.read)).find((item) => item.id === id) }
}

describe('valid parameter values', () => {
  const refused: readonly (readonly [string, unknown, RegExp])[] = [
    ['an array', [1, 2], /array would be stored as a blob/],
    ['NaN', Number.NaN, /NaN has no SQL form/],
    ['Infinity', Number.POSITIVE_INFINITY, /Infinity has no SQL form/],
    ['undefined', undefined, /undefined cannot be stored/],
    ['a Date', new Date(0), /date\.getTime\(\)/],
    ['a boolean', true, /write 0 or 1/],
    ['a BigInt', 1n, /bigint cannot be stored/],
    ['an integer beyond 2^53', 2 ** 53, /beyond 2\^53/],
    ['a plain object', { a: 1 }, /object cannot be stored/],
  ]
  test.each(refused)('%s is refused and nothing is stored', async (_, value, message) => {
    const write = db.write((tx) => sql`INSERT INTO items (id, n) VALUES (999, ${value})`.execute(tx.q))
    await expect(write).rejects.toThrow(message)
    expect((await items(db.read)).map(({ id }) => id)).not.toContain(999)
  })

  test('the error names the position of the parameter', async () => {
    await expect(sql`SELECT ${1}, ${Number.NaN}`.execute(db.read)).rejects.toThrow('SQL parameter 2')
  })
})

describe('stored values', () => {
  test.each([
    0,
    -1,
    2 ** 31,
    -(2 ** 31) - 1,
    1_700_000_000_000,
    Number.MAX_SAFE_INTEGER,
    Number.MIN_SAFE_INTEGER,
  ])('the integer %d is stored as an integer', async (n) => {
    const { id, row } = await storeAndRead({ n })
    expect(row?.n).toBe(n)
    const stored = await sql<{ type: string }>`SELECT typeof(n) AS type FROM items WHERE id = ${id}`.execute(
      db.read,
    )
    expect(stored.rows[0]?.type).toBe('integer')
  })
  test('minus zero is zero', async () => {
    const { row } = await storeAndRead({ n: -0 })
    expect(Object.is(row?.n, 0)).toBe(true)
  })
  test.each([0.1, -1e-300, 123_456.789])('the float %d is exact', async (x) => {
    expect((await storeAndRead({ x })).row?.x).toBe(x)
  })
  test.each([
    ['empty', ''],
    ['with characters beyond ASCII', 'ä 🦆 "quoted"'],
    ['with a NUL', 'a\0b'],
    ['with line breaks', 'line\nline\ttab'],
    ['of 20 kB', '🦆'.repeat(5000)],
  ])('text is exact: %s', async (_, name) => {
    expect((await storeAndRead({ name })).row?.name).toBe(name)
  })
  test('a blob is exact, and a copy of the passed one', async () => {
    const { db, folder } = await openStore()
    const data = Uint8Array.from({ length: 256 }, (_, index) => index)
    await db.write(async (tx) => {
      await insert(tx.q, { id: 1, name: null, data })
      data.fill(7)
    })
    await db.close()
    const again = await openStore({ folder })
    expect([...((await items(again.db.read))[0]?.data ?? [])]).toEqual([...Array(256).keys()])
  })
  test('a lone surrogate becomes the replacement character at once, not only after a replay', async () => {
    const { db, folder } = await openStore()
    await add(db, { id: 1, name: 'a\ud800b' })
    expect((await items(db.read))[0]?.name).toBe('a\ufffdb')
    await db.close()
    const again = await openStore({ folder })
    expect((await items(again.db.read))[0]?.name).toBe('a\ufffdb')
  })
  test('a STRICT table refuses text in an integer column', async () => {
    const write = db.write((tx) => sql`INSERT INTO items (id, n) VALUES (998, ${'many'})`.execute(tx.q))
    await expect(write).rejects.toThrow(/cannot store TEXT value in INTEGER column/)
  })
})
