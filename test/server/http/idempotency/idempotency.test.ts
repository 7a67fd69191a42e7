import { hash } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { isOnPostgres } from '../../../support/postgres/databases.ts'
import { storedCopy } from '../../../support/store.ts'
import { server, setUpService } from '../../file-service.ts'

let now = new Date('2026-11-21T09:30:00.000Z')
setUpService(undefined, { substitutes: { clock: { now: () => now } } })

const create = (key: string, body: unknown, token?: string) =>
  server.call('POST /api/workspaces', {
    body,
    headers: { 'idempotency-key': key },
    ...(token !== undefined && { token }),
  })
const named = async (name: string) =>
  (await server.call('GET /api/workspaces?limit=200')).body.data.filter(
    (found: { name: string }) => found.name === name,
  ).length

describe('Idempotency-Key', () => {
  it('returns the first reply to a repetition, without a second effect', async () => {
    const first = await create('k1', { name: 'Once' })
    const second = await create('k1', { name: 'Once' })
    expect(first.status).toBe(201)
    expect([second.status, second.text]).toEqual([201, first.text])
    expect(await named('Once')).toBe(1)
  })
  it('takes effect once for concurrent requests', async () => {
    const replies = await Promise.all(Array.from({ length: 8 }, () => create('k2', { name: 'Together' })))
    expect(new Set(replies.map((reply) => reply.text)).size).toBe(1)
    expect(await named('Together')).toBe(1)
  })
  it('refuses another body with the same key', async () => {
    await create('k3', { name: 'Mine' })
    const other = await create('k3', { name: 'Other' })
    expect([other.status, other.body.code]).toEqual([409, 'idempotency.mismatch'])
    expect(await named('Other')).toBe(0)
  })
  it('belongs to one actor and one route', async () => {
    const editor = await server.signedIn('editor')
    await create('k4', { name: 'Shared key' })
    const reply = await create('k4', { name: 'Shared key' }, editor.token)
    expect(reply.status).toBe(201)
    expect(await named('Shared key')).toBe(2)
    const run = { provider: 'mock', model: 'm', latency_ms: 1, status: 'ok' }
    expect(
      (await server.call('POST /api/runs', { body: run, headers: { 'idempotency-key': 'k4' } })).status,
    ).toBe(201)
  })
  it('can be reused after a failed request', async () => {
    const failed = await create('k5', { name: 'Taken slug', slug: 'default' })
    expect(failed.status).toBe(409)
    expect((await create('k5', { name: 'Free slug' })).status).toBe(201)
  })
  it('states that the first request took effect when its reply was too large to store', async () => {
    // In JSON each quote takes two characters.
    const body = { key: 'large', content: '"'.repeat(262_100) }
    const send = () => server.call('POST /api/prompts', { body, headers: { 'idempotency-key': 'k7' } })
    expect((await send()).status).toBe(201)
    const again = await send()
    expect([again.status, again.body.code]).toEqual([409, 'idempotency.mismatch'])
    expect(again.body.detail).toMatch(/^The first request with this Idempotency-Key took effect/)
  })
  it('survives a restart', async () => {
    const first = await create('k6', { name: 'Across' })
    await server.restart()
    expect((await create('k6', { name: 'Across' })).text).toBe(first.text)
    expect(await named('Across')).toBe(1)
  })
  it('expires after a day, also behind many older ones', async () => {
    for (let n = 0; n < 21; n++) await create(`older-${n}`, { name: 'Older' })
    now = new Date(now.getTime() + 1000)
    await create('k7', { name: 'Yesterday' })
    now = new Date(now.getTime() + 24 * 3_600_000 + 1000)
    expect((await create('k7', { name: 'Yesterday' })).status).toBe(201)
    expect(await named('Yesterday')).toBe(2)
  })
  it('must be visible text of at most 255 characters', async () => {
    for (const key of ['a b', 'x'.repeat(256)]) {
      const reply = await create(key, { name: 'Never' })
      expect(reply.status).toBe(422)
      expect(reply.body.errors[0].path).toBe('Idempotency-Key')
    }
    expect(await named('Never')).toBe(0)
  })
  it.each<[string, object | undefined]>([
    ['alerts', { name: 'Once', kind: 'error_rate', period_minutes: 15, threshold: 5 }],
    ['views', { name: 'Once', page: 'runs', query: 'env=prod' }],
    [
      'providers',
      {
        label: 'Once',
        base_url: 'http://127.0.0.1:9/v1',
        local: true,
        models: ['m'],
        api_key: 'sk-once-0123456789',
      },
    ],
    ...(isOnPostgres ? [] : [['backups', undefined] satisfies [string, undefined]]),
  ])('creates %s once', async (noun, body) => {
    const headers = { 'idempotency-key': 'k9' }
    const total = async () => (await server.call(`GET /api/${noun}`)).body.data.length
    const before = await total()
    const first = await server.call(`POST /api/${noun}`, { body, headers })
    expect(first.status).toBe(201)
    const again = await server.call(`POST /api/${noun}`, { body, headers })
    expect([again.status, again.text]).toEqual([201, first.text])
    expect(await total()).toBe(before + 1)
    // A plain hash would help to guess a secret in the body.
    expect(await storedCopy(server)).not.toContain(hash('sha256', JSON.stringify(body) ?? '', 'base64url'))
  })
  it('is ignored where a reply may contain a secret', async () => {
    const body = { username: 'idem', password: 'a phrase for idem', role: 'viewer' }
    const headers = { 'idempotency-key': 'k8' }
    expect((await server.call('POST /api/users', { body, headers })).status).toBe(201)
    expect((await server.call('POST /api/users', { body, headers })).body.code).toBe('user.username_taken')
  })
})
