import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { closeCode, openSocket, type Scenario, type Watcher, watch } from '../../support/scenario.ts'
import { serviceToken, startTestServer, type TestServer } from '../../support/service.ts'
import { setUpService } from '../service-with-roles.ts'

setUpService()

describe('settings from the environment', () => {
  let fixed: TestServer
  let fixedWatcher: Watcher
  beforeAll(async () => {
    fixed = await startTestServer()
    await fixed.restart({ RUN_RETENTION_DAYS: '14' })
    fixedWatcher = await watch(fixed)
  })
  afterAll(async () => {
    await fixedWatcher.close()
    await fixed.close()
  })

  it.each<Scenario>([
    {
      name: 'are shown as fixed',
      call: 'GET /api/settings',
      status: 200,
      reply: { data: { run_retention_days: 14, fixed: ['run_retention_days', 'service_token'] } },
    },
    {
      name: 'cannot be changed',
      call: 'PATCH /api/settings',
      body: { run_retention_days: 30 },
      status: 422,
      reply: { code: 'request.invalid' },
      fields: ['run_retention_days'],
    },
    {
      name: 'reject the whole change',
      call: 'PATCH /api/settings',
      body: { capture: 'full', run_retention_days: 30 },
      status: 422,
      fields: ['run_retention_days'],
    },
    {
      name: 'may be sent unchanged',
      call: 'PUT /api/settings',
      body: { run_retention_days: 14, capture: 'full' },
      status: 200,
      reply: { data: { capture: 'full', run_retention_days: 14 } },
      audit: ['service-token setting_change setting capture'],
      frames: ['setting', 'audit'],
    },
    {
      name: 'prevent a new service token',
      call: 'POST /api/settings/service-token',
      status: 422,
      reply: { code: 'request.invalid' },
      forbidden: [serviceToken],
    },
  ])('$name', (scenario) => fixedWatcher.run(scenario))

  it('end when the variable is removed', async () => {
    await fixedWatcher.close()
    await fixed.restart()
    fixedWatcher = await watch(fixed)
    const { body } = await fixed.call('GET /api/settings')
    expect(body.data).toMatchObject({ run_retention_days: 90, fixed: ['service_token'] })
  })
})

describe('the service token', () => {
  let plain: TestServer
  let admin: string
  beforeAll(async () => {
    plain = await startTestServer({ env: { SERVICE_TOKEN: '' } })
    admin = (await signInAsAdmin(plain)).token
  })
  afterAll(() => plain.close())
  const replace = (token = admin) => plain.call('POST /api/settings/service-token', { token })
  const isValid = async (token: string) => (await plain.call('GET /api/me', { token })).status === 200

  it('is created and shown once, and replaces the previous one, including sockets', async () => {
    const socket = await openSocket(plain, 'promptdeck-dev-token')
    const code = closeCode(socket)
    const first = await replace()
    expect(first.status).toBe(201)
    const { token, hint } = first.body.data
    expect(token).toMatch(/^pd_svc_[\w-]{43}$/)
    expect(token.endsWith(hint)).toBe(true)
    expect(await code).toBe(4401)
    expect([await isValid('promptdeck-dev-token'), await isValid(token)]).toEqual([false, true])

    const shown = await plain.call('GET /api/settings', { token: admin })
    expect(shown.body.data).toMatchObject({ service_token: { source: 'stored', hint }, fixed: [] })
    expect(shown.body.data.updated.service_token.by).toBe('admin')
    expect(shown.text).not.toContain(token)

    const second = await replace(token)
    expect([await isValid(token), await isValid(second.body.data.token)]).toEqual([false, true])

    const log = await plain.call('GET /api/audit/export?format=jsonl', { token: admin })
    expect(log.text).not.toContain(token.slice(7))
    expect(log.text).not.toContain(second.body.data.token.slice(7))
    const list = await plain.call('GET /api/audit?action=setting_change&sort=created_at', { token: admin })
    expect(list.body.data.map((row: { actor: string; key: string }) => `${row.actor} ${row.key}`)).toEqual([
      'admin service_token',
      'service-token service_token',
    ])
  })

  it('is overridden by the environment, and valid again afterwards', async () => {
    const { token } = (await replace()).body.data
    await plain.restart({ SERVICE_TOKEN: serviceToken })
    expect([await isValid(token), await isValid(serviceToken)]).toEqual([false, true])
    await plain.restart({ SERVICE_TOKEN: '' })
    expect([await isValid(token), await isValid(serviceToken)]).toEqual([true, false])
  })
})

async function signInAsAdmin(server: TestServer): Promise<{ token: string }> {
  return { token: await server.login('admin', 'admin') }
}
