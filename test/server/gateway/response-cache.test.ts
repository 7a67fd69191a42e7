import { expect, it } from 'vitest'
import {
  type CachedReply,
  cacheKey,
  createResponseCache,
} from '../../../server/gateway/cache/response-cache.ts'
import { ReplyContent } from '../../../server/gateway/protocols/reply-content.ts'
import { startGateway } from './gateway-support.ts'

const reply = (size: number): CachedReply => ({
  status: 200,
  statusMessage: 'OK',
  rawHeaders: [],
  body: Buffer.alloc(size),
  content: new ReplyContent(() => undefined),
})

it('keeps replies for their time, within its size, those used last the longest', () => {
  let now = 1
  const cache = createResponseCache(() => now, 100_000)
  cache.put('a', reply(10_000), 10)
  cache.put('b', reply(10_000), 20)
  expect(cache.get('a')?.body.length).toBe(10_000)
  now = 10_002
  expect(cache.get('a')).toBeNull()
  expect(cache.get('b')).not.toBeNull()
  for (const key of ['c', 'd', 'e']) cache.put(key, reply(10_000), 20)
  cache.get('b')
  cache.put('f', reply(10_000), 20)
  expect(['b', 'c', 'd', 'e', 'f'].filter((key) => cache.get(key) !== null)).toEqual(['b', 'd', 'e', 'f'])
  cache.put('large', reply(60_000), 20)
  expect(cache.get('large')).toBeNull()
})

it('has one key for the same request, and another for any other', () => {
  const key = cacheKey(['t', '/chat'], { accept: 'x' }, Buffer.from('{}'))
  expect(cacheKey(['t', '/chat'], { accept: 'x', 'user-agent': 'y' }, Buffer.from('{}'))).toBe(key)
  for (const other of [
    cacheKey(['u', '/chat'], { accept: 'x' }, Buffer.from('{}')),
    cacheKey(['t', '/chat'], { accept: 'z' }, Buffer.from('{}')),
    cacheKey(['t', '/chat'], { accept: 'x' }, Buffer.from('{ }')),
  ])
    expect(other).not.toBe(key)
})

it('replies to the same request of a token again, with a run of its own that cost nothing', async () => {
  const gateway = await startGateway()
  const { id, token } = await gateway.createToken({ name: 'cached', gateway: true, cache_seconds: 60 })
  const call = async (body: object, as = token) => {
    const asked = { model: 'gpt-4o-mini', messages: [{ role: 'user', content: 'Hi' }], ...body }
    const reply = await gateway.call('openai/v1/chat/completions', asked, { token: as })
    const text = await reply.text()
    return { text, run: await gateway.run(reply.headers.get('promptdeck-run-id')) }
  }
  for (const stream of [false, true]) {
    const first = await call({ stream })
    const second = await call({ stream })
    expect(second.text).toBe(first.text)
    expect(first.run['reply_mark']).toBeNull()
    expect(second.run).toMatchObject({ reply_mark: 'hit', cost_usd: 0, status: 'ok', app: 'cached' })
    expect(second.run['id']).not.toBe(first.run['id'])
  }
  expect(gateway.models.seen).toHaveLength(2)
  // A stream that lacks its end, an error, another token, and a token without a cache.
  gateway.models.plan({ fault: 'truncated' })
  expect((await call({ stream: true, user: 'b' })).run).toMatchObject({ finish_reason: null })
  expect((await call({ stream: true, user: 'b' })).run).toMatchObject({
    finish_reason: 'stop',
    reply_mark: null,
  })
  gateway.models.plan({ status: 500 })
  expect((await call({ user: 'a' })).run).toMatchObject({ status: 'error' })
  expect((await call({ user: 'a' })).run).toMatchObject({ status: 'ok', reply_mark: null })
  expect((await call({}, gateway.token)).run).toMatchObject({ reply_mark: null })
  await gateway.server.call(`PATCH /api/tokens/${id}`, { body: { cache_seconds: null } })
  expect((await call({})).run).toMatchObject({ reply_mark: null })
  expect(gateway.models.seen).toHaveLength(8)
  await gateway.close()
})
