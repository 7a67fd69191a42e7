import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { challengeOf, codeAt, enrol, signIn } from '../server/auth/second-factor-support.ts'
import { runOnServer } from '../support/postgres/server.ts'
import { type Instances, serverAt, startInstances } from './instances.ts'

let instances: Instances
beforeAll(async () => {
  instances = await startInstances(3)
})
afterAll(() => instances.close())

const on = (index: number) => serverAt(instances.servers, index)
const statuses = (replies: readonly { readonly status: number }[]) =>
  replies.map(({ status }) => status).toSorted((a, b) => a - b)

describe('rules that hold across instances', () => {
  it('counts failed sign-ins of all instances together', async () => {
    const body = { username: 'nobody', password: 'wrong' }
    const replies: number[] = []
    for (const index of [0, 1, 2, 0, 1, 2])
      replies.push((await on(index).call('POST /api/login', { token: null, body })).status)
    expect(replies).toEqual([401, 401, 401, 401, 401, 429])
    const stored = await runOnServer<{ row: string }>(
      instances.database.urlOf('postgres'),
      `SELECT v::text AS row FROM shared_values v WHERE scope LIKE 'sign-in %'`,
    )
    expect(stored).toHaveLength(2)
    for (const { row } of stored) expect(row).not.toContain('127.0.0.1')
  })

  it('accepts a code of an authenticator app once, on whichever instance', async () => {
    const now = new Date()
    const person = await enrol(on(0), await on(0).signedIn('editor'), now)
    // The code of the current step was used to turn it on.
    const code = codeAt(person.secret, now, 1)
    const replies = await Promise.all(
      [0, 1, 2].map(async (index) =>
        signIn(on(index), { challenge: await challengeOf(on(index), person), code }),
      ),
    )
    expect(statuses(replies)).toEqual([200, 401, 401])
  })

  it('completes once, on any instance, what another one began: a setup and a sign-in with a second factor', async () => {
    const person = await enrol(on(0), await on(0).signedIn('editor'), new Date(), on(1))
    const challenge = await challengeOf(on(2), person)
    const [first, second] = person.recoveryCodes
    const replies = await Promise.all([
      signIn(on(0), { challenge, code: first }),
      signIn(on(1), { challenge, code: second }),
    ])
    expect(statuses(replies)).toEqual([200, 401])
    const left = await on(2).call('GET /api/me/second-factor', { token: person.token })
    expect(left.body.data.recovery_codes_left).toBe(person.recoveryCodes.length - 1)
    const again = await signIn(on(2), { challenge, code: person.recoveryCodes[2] })
    expect(again.body.code).toBe('auth.challenge_expired')
  })

  it('keeps one active admin when two are demoted at the same time', async () => {
    const users = await on(0).call('GET /api/users?role=admin')
    const [first] = users.body.data
    const second = await on(1).signedIn('admin')
    const replies = await Promise.all([
      on(0).call(`PATCH /api/users/${first.id}`, { body: { role: 'viewer' } }),
      on(1).call(`PATCH /api/users/${second.id}`, { body: { role: 'viewer' } }),
    ])
    expect(statuses(replies)).toEqual([200, 409])
  })

  it('runs a request with the same Idempotency-Key once', async () => {
    const headers = { 'idempotency-key': 'create-once' }
    const body = { key: 'once', env: 'dev', content: 'Hi' }
    const create = (index: number) => on(index).call('POST /api/prompts', { headers, body })
    const concurrent = await Promise.all([create(0), create(1), create(2)])
    expect(concurrent.filter(({ status }) => status === 201).length).toBeGreaterThanOrEqual(1)
    const repeated = await create(2)
    expect(repeated.status).toBe(201)
    for (const reply of concurrent.filter(({ status }) => status === 201))
      expect(reply.body).toEqual(repeated.body)
    expect((await on(1).call('GET /api/prompts?q=once')).body.total).toBe(1)
  })

  it('counts a run once that is reported again to another instance, and lists it on all', async () => {
    const run = { provider: 'openai', model: 'counted-once', status: 'ok', latency_ms: 1 }
    const report = (index: number) =>
      on(index).call('POST /api/runs', { body: { ...run, client_run_id: 'reported-once' } })
    const total = async (index: number) =>
      (await on(index).call('GET /api/runs?model=counted-once')).body.total
    expect(await Promise.all([0, 1, 2].map(total))).toEqual([0, 0, 0])
    const replies = await Promise.all([report(0), report(1), report(2)])
    expect(statuses(replies)).toEqual([201, 201, 201])
    expect(new Set(replies.map(({ body }) => body.data.id)).size).toBe(1)
    // Also for an instance that read the list before.
    expect(await Promise.all([0, 1, 2].map(total))).toEqual([1, 1, 1])
  })

  it('refuses a change that is based on an older state on another instance', async () => {
    const created = await on(0).call('POST /api/prompts', { body: { key: 'both', env: 'dev', content: 'a' } })
    const { id } = created.body.data
    const etag = (await on(0).call(`GET /api/prompts/${id}`)).headers.get('etag') ?? ''
    const change = (index: number) =>
      on(index).call(`PATCH /api/prompts/${id}`, {
        headers: { 'if-match': etag },
        body: { content: `by ${index}` },
      })
    expect(statuses(await Promise.all([change(0), change(1), change(2)]))).toEqual([200, 412, 412])
  })

  it('keeps concurrent changes of a provider, and creates and deletes a provider only once', async () => {
    const change = (index: number, body: object) => on(index).call('PUT /api/providers/openai', { body })
    await change(0, { api_key: 'sk-of-the-first-1234' })
    await change(1, { models: ['small'] })
    await Promise.all([change(2, { concurrency: 3 }), change(0, { enabled: false })])
    const { data } = (await change(1, {})).body
    expect(data).toMatchObject({ has_key: true, models: ['small'], concurrency: 3, enabled: false })
    const body = { name: 'own', label: 'Own', base_url: 'http://127.0.0.1:9', local: true }
    const add = (index: number) => on(index).call('POST /api/providers', { body })
    expect(statuses(await Promise.all([0, 1, 2].map(add)))).toEqual([201, 409, 409])
    const remove = (index: number) => on(index).call('DELETE /api/providers/own')
    expect(statuses(await Promise.all([0, 1, 2].map(remove)))).toEqual([200, 404, 404])
  })

  it('keeps concurrent changes of an alert, and never restores a deleted one', async () => {
    const body = { name: 'Errors', kind: 'error_rate', period_minutes: 15, threshold: 5 }
    const path = `/api/alerts/${(await on(0).call('POST /api/alerts', { body })).body.data.id}`
    const change = (index: number, body: object) => on(index).call(`PATCH ${path}`, { body })
    await Promise.all([change(0, { threshold: 7 }), change(1, { name: 'Failures' })])
    expect((await change(2, {})).body.data).toMatchObject({ threshold: 7, name: 'Failures' })
    await Promise.all([on(0).call(`DELETE ${path}`), change(1, { threshold: 8 })])
    expect((await on(0).call(`GET ${path}`)).status).toBe(404)
  })

  it('keeps one audit chain', async () => {
    await Promise.all(
      Array.from({ length: 12 }, (_, index) =>
        on(index % 3).call('POST /api/prompts', {
          body: { key: `chain-${index}`, env: 'dev', content: 'x' },
        }),
      ),
    )
    for (const index of [0, 1, 2]) {
      const { body } = await on(index).call('GET /api/audit/verify')
      expect(body.data).toMatchObject({ ok: true, first_broken_id: null })
    }
  })
})
