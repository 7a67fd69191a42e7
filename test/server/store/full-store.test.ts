import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Scenario, type Watcher, watch } from '../../support/scenario.ts'
import { startTestServer, type TestServer } from '../../support/service.ts'

let server: TestServer
let watcher: Watcher
let edda: Awaited<ReturnType<TestServer['signedIn']>>
let spare: Awaited<ReturnType<TestServer['signedIn']>>
let acceptedBatches = 0

beforeAll(async () => {
  server = await startTestServer({ env: { MAX_STORE_MB: '16' } })
  edda = await server.signedIn('admin', 'edda')
  spare = await server.signedIn('viewer', 'spare')
  await server.call('POST /api/workspaces', { body: { name: 'Doomed' } })
  // Different each time, because the store keeps a repeated text only once.
  const run = (batch: number, n: number) => ({
    provider: 'mock',
    model: 'm',
    latency_ms: 1,
    status: 'error',
    error: `${batch}.${n} ${'x'.repeat(8000)}`,
  })
  let status = 201
  for (let batch = 0; status === 201 && batch < 100; batch += 1) {
    const body = Array.from({ length: 100 }, (_, n) => run(batch, n))
    const headers = { 'idempotency-key': `batch-${batch}` }
    status = (await server.call('POST /api/runs', { body, headers })).status
    if (status === 201) acceptedBatches += 1
  }
  expect(status).toBe(507)
  watcher = await watch(server)
}, 120_000)
afterAll(async () => {
  await watcher.close()
  await server.close()
})

const full = { status: 507, reply: { code: 'store.full' } } as const

describe('a full store', () => {
  it.each<Scenario>([
    {
      name: 'rejects a new user',
      call: 'POST /api/users',
      body: { username: 'new', password: 'a long phrase', role: 'viewer' },
      ...full,
    },
    { name: 'rejects a new workspace', call: 'POST /api/workspaces', body: { name: 'New' }, ...full },
    {
      name: 'rejects a new role',
      call: () => `PATCH /api/users/${spare.id}`,
      body: { role: 'editor' },
      ...full,
    },
    { name: 'rejects a price table', call: 'PATCH /api/settings', body: { prices: [] }, ...full },
    {
      name: 'allows sign-in',
      call: 'POST /api/login',
      token: () => null,
      body: { username: 'edda', password: 'a phrase of edda 1' },
      status: 200,
      audit: ['edda login session edda'],
      frames: ['session', 'audit'],
    },
    {
      name: 'records a failed sign-in',
      call: 'POST /api/login',
      token: () => null,
      body: { username: 'edda', password: 'wrong' },
      status: 401,
      audit: ['anonymous login_failed session edda'],
      frames: ['session', 'audit'],
    },
    {
      name: 'allows a password change',
      call: 'PUT /api/me/password',
      token: () => edda.token,
      body: { current_password: 'a phrase of edda 1', new_password: 'another phrase of edda' },
      status: 200,
      audit: ['edda password_change user edda'],
      frames: ['user', 'audit'],
    },
    {
      name: 'allows ending sessions',
      call: () => `POST /api/users/${spare.id}/revoke-sessions`,
      status: 200,
      audit: ['service-token revoke user spare'],
      frames: ['session', 'audit'],
    },
    {
      name: 'allows deleting users',
      call: () => `DELETE /api/users/${spare.id}`,
      status: 200,
      audit: ['service-token delete user spare'],
      frames: ['user', 'audit'],
    },
    {
      name: 'allows deleting workspaces',
      call: 'DELETE /api/workspaces/doomed',
      status: 200,
      audit: ['service-token delete workspace doomed'],
      frames: ['workspace', 'audit'],
    },
    {
      name: 'allows sign-out',
      call: 'POST /api/logout',
      token: () => edda.token,
      status: 200,
      audit: ['edda logout session edda'],
      frames: ['session', 'audit'],
    },
    {
      name: 'accepts a shorter retention, which frees space',
      call: 'PATCH /api/settings',
      body: { run_retention_days: 1 },
      status: 200,
      audit: ['service-token setting_change setting run_retention_days'],
      frames: ['setting', 'audit'],
    },
  ])('$name', (scenario) => watcher.run(scenario))

  it('has stored all of an accepted request, and nothing of the refused one', async () => {
    expect((await server.call('GET /api/runs?limit=1')).body.total).toBe(acceptedBatches * 100)
  })

  it('serves reads as usual', async () => {
    expect((await server.call('GET /api/users')).status).toBe(200)
    expect((await server.call('GET /api/audit/verify')).body.data.ok).toBe(true)
  })
})
