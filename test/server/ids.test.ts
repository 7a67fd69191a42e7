import { expect, test } from 'vitest'
import { newUuid } from '../../server/lib/ids.ts'

test('ids are UUIDs of version 7, unique, and sorted by their creation', () => {
  const before = Date.now()
  const ids = Array.from({ length: 20_000 }, newUuid)
  expect(
    ids.find((id) => !/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/.test(id)),
  ).toBe(undefined)
  expect(new Set(ids).size).toBe(ids.length)
  expect(ids.toSorted()).toEqual(ids)
  const times = ids.map((id) => Number.parseInt(id.replace('-', '').slice(0, 12), 16))
  expect(times[0]).toBeGreaterThanOrEqual(before)
  expect(times.at(-1)).toBeLessThanOrEqual(Date.now())
})

test('the ends of ids are random', () => {
  const ends = Array.from({ length: 1000 }, () => newUuid().slice(-12))
  expect(new Set(ends).size).toBe(ends.length)
})
