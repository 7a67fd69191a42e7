import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { spawnCommand } from '../../support/command.ts'
import { type LanServer, startLanServer } from '../../support/lan/listener.ts'
import { serviceToken } from '../../support/service.ts'

let server: LanServer
let config: string
beforeAll(async () => {
  server = await startLanServer()
  config = await mkdtemp(join(tmpdir(), 'promptdeck-lan-command-'))
})
afterAll(async () => {
  await server.close()
  await rm(config, { recursive: true, force: true })
})

const run = (...args: readonly string[]) => spawnCommand(args, { config })

/** Approves the next request to be paired, as an admin in the console does. Returns its id. */
async function approveNext(): Promise<string> {
  for (;;) {
    const { body } = await server.call('GET /api/pairing/requests')
    const [request] = body.data.filter(({ status }: { status: string }) => status === 'pending')
    if (request === undefined) continue
    expect(request).toMatchObject({ name: 'laptop', kind: 'cli', words: server.identity.words })
    const reply = await server.call(`POST /api/pairing/requests/${request.id}/approve`)
    expect(reply.status, reply.text).toBe(200)
    return request.id
  }
}

it('pairs with a service that is shared, acts with its role, and ends when the device is revoked', async () => {
  const opened = await server.call('POST /api/pairing', { body: { role: 'viewer' } })
  const { code, fingerprint } = opened.body.data
  const address = new URL(server.lanUrl).host
  const [paired] = await Promise.all([
    run('pair', address, '--code', code, '--fingerprint', fingerprint, '--name', 'laptop'),
    approveNext(),
  ])
  expect(paired, paired.err).toMatchObject({ code: 0 })
  const stored = await readFile(join(config, 'servers.json'), 'utf8')
  const [, token = ''] = /"token": "([^"]{20,})"/.exec(stored) ?? []
  expect(token).not.toBe('')

  const status = await run('status', '--json')
  expect(status, status.err).toMatchObject({ code: 0 })
  expect(JSON.parse(status.out)).toMatchObject({
    server: 'desk',
    user: { name: 'laptop', role: 'viewer', auth: 'api_token' },
  })
  expect(status.out + paired.out).not.toContain(token)

  // A viewer may not share the service.
  expect(await run('lan', 'off')).toMatchObject({ code: 1, err: expect.stringContaining('admin') })

  const devices = await server.call('GET /api/devices')
  const [device] = devices.body.data
  expect(device).toMatchObject({ name: 'laptop', kind: 'cli' })
  expect((await server.call(`DELETE /api/devices/${device.id}`)).status).toBe(200)
  const after = await run('status', '--json')
  expect(after.code).toBe(1)
  expect(after.err).toMatch(/pair/i)
})

it('shares on chosen interfaces, or on all', async () => {
  const states: unknown[] = []
  for (const name of ['eth9', 'all']) {
    const on = ['lan', 'on', '--interface', name, '--url', server.url, '--token', serviceToken, '--json']
    const { code, out, err } = await run(...on)
    expect(code, err).toBe(0)
    states.push(JSON.parse(out).state)
  }
  expect(states).toEqual(['failed', 'listening'])
})
