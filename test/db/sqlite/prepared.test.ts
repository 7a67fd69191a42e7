import { expect, test } from 'vitest'
import { migrations } from '../../../server/db/migrations/index.ts'
import { type Params, prepareChange, prepareQuery } from '../../../server/db/prepared.ts'
import { openStore } from '../store.ts'

const byKey = prepareQuery((q, p: Params<{ key: string }>) =>
  q.selectFrom('settings').selectAll().where('key', '=', p('key')),
)
const page = prepareQuery((q, p: Params<{ after: string; limit: number }>) =>
  q.selectFrom('settings').select('key').where('key', '>', p('after')).orderBy('key').limit(p('limit')),
)
const put = prepareChange((q, p: Params<{ key: string; value: string }>) =>
  q
    .insertInto('settings')
    .values({ key: p('key'), value: p('value'), updated_at: 5, updated_by: 'test' })
    .onConflict((conflict) => conflict.column('key').doUpdateSet({ value: p('value') })),
)
const remove = prepareChange((q, p: Params<{ key: string }>) =>
  q.deleteFrom('settings').where('key', '=', p('key')),
)
const count = prepareQuery((q) => q.selectFrom('settings').select((eb) => eb.fn.countAll<number>().as('n')))

const open = () => openStore({ migrations })

test('a prepared query returns typed rows, with fixed constants and variable parameters', async () => {
  const { db } = await open()
  await db.write((tx) => put(tx.q, { key: 'a', value: '1' }))
  await db.write((tx) => put(tx.q, { key: 'b', value: '2' }))
  const [row] = await byKey(db.read, { key: 'b' })
  const value: string | undefined = row?.value
  expect(value).toBe('2')
  expect(row).toEqual({ key: 'b', value: '2', updated_at: 5, updated_by: 'test' })
  expect(await byKey(db.read, { key: 'c' })).toEqual([])
})

test('a parameter may occur several times, in a limit and in an update', async () => {
  const { db } = await open()
  for (const key of ['a', 'b', 'c', 'd']) await db.write((tx) => put(tx.q, { key, value: key }))
  await db.write((tx) => put(tx.q, { key: 'a', value: 'changed' }))
  expect((await byKey(db.read, { key: 'a' }))[0]?.value).toBe('changed')
  expect(await page(db.read, { after: 'a', limit: 2 })).toEqual([{ key: 'b' }, { key: 'c' }])
})

test('a change returns the number of changed rows', async () => {
  const { db } = await open()
  expect(await db.write((tx) => put(tx.q, { key: 'a', value: '1' }))).toBe(1)
  expect(await db.write((tx) => remove(tx.q, { key: 'a' }))).toBe(1)
  expect(await db.write((tx) => remove(tx.q, { key: 'a' }))).toBe(0)
})

test('changes by prepared queries are journalled like any other', async () => {
  const { db, folder } = await open()
  await db.write((tx) => put(tx.q, { key: 'a', value: '1' }))
  await db.close()
  const again = await openStore({ folder, migrations })
  expect(await count(again.db.read)).toEqual([{ n: 1 }])
})

test('a prepared query sees the changes of its transaction, and does not write outside of one', async () => {
  const { db } = await open()
  await db.write(async (tx) => {
    await put(tx.q, { key: 'a', value: '1' })
    expect(await count(tx.q)).toEqual([{ n: 1 }])
  })
  await expect(put(db.read, { key: 'b', value: '2' })).rejects.toThrow(/write through db\.write/)
})

test('parameters are validated as in other queries', async () => {
  const { db } = await open()
  const wrong = { after: 'a', limit: Number.NaN }
  await expect(page(db.read, wrong)).rejects.toThrow(/NaN has no SQL form/)
})

test('a copy of a query object is refused', async () => {
  const { db } = await open()
  await expect(byKey(db.read.withoutPlugins(), { key: 'a' })).rejects.toThrow(/db\.read or tx\.q itself/)
})
