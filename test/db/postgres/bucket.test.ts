import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { openBucket } from '../../../server/features/runs/payloads/objects/bucket.ts'
import { startTestServer } from '../../support/service.ts'
import { startBucket } from './bucket.ts'
import { postgresServer } from './postgres-support.ts'

const postgres = postgresServer()
const root = mkdtempSync(join(tmpdir(), 'promptdeck-bucket-test-'))
afterAll(() => rmSync(root, { recursive: true, force: true }))
beforeEach(() => {
  vi.stubEnv('AWS_ACCESS_KEY_ID', 'test')
  vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'test')
})

describe('a bucket', () => {
  it('stores objects, reads parts, lists days, and removes a day', async () => {
    const bucket = await startBucket()
    const objects = openBucket(bucket.url('a%20b'))
    for (const day of [20_000, 20_001, 20_002]) await objects.put(day, 'one', Buffer.from('0123456789'))
    await objects.put(20_000, 'two', Buffer.from('x'))
    await objects.put(20_000, 'three', Buffer.from('x'))
    expect([...bucket.objects.keys()]).toContain('a b/2024-10-04/one')
    expect(await objects.read(20_001, 'one', 2, 3)).toBe('234')
    expect(await objects.read(20_001, 'one', 8, 3)).toBeNull()
    expect(await objects.read(20_001, 'none', 0, 3)).toBeNull()
    expect(await objects.days()).toEqual([20_000, 20_001, 20_002])
    await objects.removeDay(20_000)
    expect(await objects.days()).toEqual([20_001, 20_002])
    objects.close()
    await bucket.close()
  })

  it('that fails: each request ends in time with an error, and only a missing object is null', async () => {
    const bucket = await startBucket()
    const objects = openBucket(bucket.url('runs'), { attemptMs: 50, totalMs: 100 })
    await objects.put(20_000, 'one', Buffer.from('0123456789'))
    const codes = {
      AccessDenied: 403,
      RequestTimeTooSkewed: 403,
      AuthorizationHeaderMalformed: 400,
      PermanentRedirect: 301,
      NoSuchBucket: 404,
      InternalError: 500,
      SlowDown: 503,
    }
    const errors = Object.entries(codes).map(([code, status]) => ({
      status,
      body: `<Error><Code>${code}</Code></Error>`,
    }))
    for (const fault of ['silent', 'stalls', 'breaks', ...errors] as const) {
      bucket.fail(fault)
      const replies = await Promise.allSettled([
        objects.read(20_000, 'one', 0, 10),
        objects.put(20_000, 'two', Buffer.from('x')),
        objects.days(),
      ])
      expect(replies.map(({ status }) => status)).toEqual(Array(3).fill('rejected'))
    }
    bucket.fail(null)
    expect(await objects.read(20_000, 'one', 0, 10)).toBe('0123456789')
    expect(await objects.read(20_000, 'none', 0, 10)).toBeNull()
    objects.close()
    await bucket.close()
  })

  it('that does not answer: runs are stored without texts, and earlier texts are unavailable for that time', async () => {
    const bucket = await startBucket()
    const env = { DATABASE_URL: await postgres.newDatabase(), PAYLOADS_URL: bucket.url('runs') }
    const server = await startTestServer({ dataDir: join(root, 'service'), env })
    await server.call('PATCH /api/settings', { body: { capture: 'full' } })
    const run = { provider: 'openai', model: 'm', latency_ms: 1, status: 'ok', output: 'the needle' }
    const report = async () => (await server.call('POST /api/runs', { body: run })).body.data.id
    const captured = await report()
    expect((await server.call('GET /api/runs?content=needle')).body).toMatchObject({ total: 1 })
    await bucket.close()

    const failed = await report()
    expect((await server.call(`GET /api/runs/${failed}`)).body.data).toMatchObject({
      output: null,
      content_state: 'failed',
    })
    for (const path of [`/api/runs/${captured}`, '/api/runs?content=needle']) {
      const reply = await server.call(`GET ${path}`)
      expect(reply.status).toBe(503)
      expect(reply.body).toMatchObject({ code: 'store.unavailable', retry_after: 1 })
      expect(reply.body.detail).toContain('PAYLOADS_URL')
    }
    expect((await server.call('GET /api/runs')).body.data).toHaveLength(2)
    await server.close()
  })
})
