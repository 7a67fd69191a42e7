import { expect, test } from 'vitest'
import { createSharedResults } from '../../server/lib/async/shared-results.ts'

test('a result is computed once until something is written', async () => {
  let version = 1
  let computed = 0
  const shared = createSharedResults<number>(() => version, 1000)
  const get = (key: string, of = version) =>
    shared.get(key, of, async () => {
      computed += 1
      return computed
    })
  expect(await Promise.all([get('a'), get('a'), get('b')])).toEqual([1, 1, 2])
  expect(await get('a')).toBe(1)
  version = 2
  expect(await get('a')).toBe(3)
  // Read before the last write, so it is neither shared nor kept.
  expect(await get('a', 1)).toBe(4)
  expect(await get('a')).toBe(3)
})

test('a result during which something is written is returned and not kept', async () => {
  let version = 1
  const shared = createSharedResults<string>(() => version, 1000)
  const first = await shared.get('a', 1, async () => {
    version = 2
    return 'before or after'
  })
  expect(first).toBe('before or after')
  expect(await shared.get('a', 2, async () => 'after')).toBe('after')
})

test('a result of an older version does not replace that of a newer one', async () => {
  let version = 1
  const shared = createSharedResults<string>(() => version, 1000)
  let finish = (_: string) => {}
  const older = shared.get('a', 1, () => new Promise((resolve) => (finish = resolve)))
  version = 2
  expect(await shared.get('a', 2, async () => 'newer')).toBe('newer')
  finish('older')
  expect(await older).toBe('older')
  expect(await shared.get('a', 2, async () => 'again')).toBe('newer')
})

test('an error is not kept', async () => {
  const shared = createSharedResults<string>(() => 1, 1000)
  await expect(shared.get('a', 1, () => Promise.reject(new Error('no')))).rejects.toThrow('no')
  expect(await shared.get('a', 1, async () => 'yes')).toBe('yes')
})

test('the size is bounded, and 0 shares nothing', async () => {
  const shared = createSharedResults<string>(() => 1, 20)
  await shared.get('a', 1, async () => 'text of a')
  await shared.get('b', 1, async () => 'text of b')
  expect(await shared.get('b', 1, async () => 'again')).toBe('text of b')
  expect(await shared.get('a', 1, async () => 'again')).toBe('again')
  const none = createSharedResults<string>(() => 1, 0)
  await none.get('a', 1, async () => 'first')
  expect(await none.get('a', 1, async () => 'second')).toBe('second')
})
