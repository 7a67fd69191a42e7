import { expect, it } from 'vitest'
import { createPrivateReplies } from '../../../../server/http/idempotency/private-replies.ts'

const now = new Date('2026-11-21T09:30:00.000Z')
const later = (ms: number) => new Date(now.getTime() + ms)
const keyOf = (number: number) => ({
  actor: 'api_token:1',
  route: 'POST /api/playground/run',
  key: String(number).padStart(255, 'k'),
})

it('evicts the oldest when names and replies together exceed 16 MB', () => {
  const replies = createPrivateReplies()
  for (let number = 0; number < 60_000; number += 1)
    replies.store(keyOf(number), { status: 200, json: '{}' }, now)
  expect(replies.find(keyOf(0), now)).toBeUndefined()
  expect(replies.find(keyOf(59_999), now)).toEqual({ status: 200, json: '{}' })
})

it('returns a reply for an hour, and counts a replaced one once', () => {
  const replies = createPrivateReplies()
  const json = 'x'.repeat(1024 * 1024)
  for (let times = 0; times < 20; times += 1) replies.store(keyOf(1), { status: 200, json }, now)
  replies.store(keyOf(2), { status: 201, json }, now)
  expect(replies.find(keyOf(1), later(3_599_999))?.status).toBe(200)
  expect(replies.find(keyOf(1), later(3_600_000))).toBeUndefined()
  expect(replies.find(keyOf(2), later(3_599_999))?.status).toBe(201)
})
