import { describe, expect, it } from 'vitest'
import {
  authorityOf,
  handshake,
  lanCall,
  lanOn,
  networkOf,
  networkWhen,
  shareWith,
  testNetwork,
} from '../../support/lan/lan.ts'
import { watch } from '../../support/scenario.ts'
import { closeAfterEach, closers, presented, start } from './sharing-support.ts'

closeAfterEach()

const isListening = ({ state }: { state: string }) => state === 'listening'

describe('sharing', () => {
  it('is off until an admin turns it on, and audited', async () => {
    const server = await start({
      env: { LAN_PORT: '0' },
      substitutes: { network: testNetwork('127.0.0.1', '127.0.0.2') },
    })
    expect(await networkOf(server)).toMatchObject({
      enabled: false,
      state: 'off',
      fingerprint: null,
      certificate: null,
      addresses: [],
      blockers: [{ code: 'default_password' }],
      interfaces: [
        { name: 'eth0', address: '127.0.0.1', selected: true },
        { name: 'eth1', address: '127.0.0.2', selected: true },
      ],
    })
    const watcher = await watch(server)
    closers.push(watcher.close)
    const problem = {
      name: 'is refused while the built-in password is active',
      call: 'PUT /api/network',
      body: { enabled: true },
      status: 409,
      reply: { code: 'network.defaults_in_use' },
    }
    await watcher.run(problem)
    const token = await server.login('admin', 'admin')
    const body = { current_password: 'admin', new_password: 'a long phrase of the admin' }
    expect((await server.call('PUT /api/me/password', { token, body })).status).toBe(200)
    await watcher.run({
      name: 'is turned on for one interface',
      call: 'PUT /api/network',
      body: { enabled: true, interfaces: ['eth0'], name: 'Blue desk' },
      status: 200,
      reply: { data: { enabled: true, state: 'listening', name: 'Blue desk', chosen_interfaces: ['eth0'] } },
      // The service stores the fingerprint of the new authority without an entry of its own.
      audit: ['service-token setting_change network'],
      frames: ['setting', 'audit'],
    })
    await watcher.run({
      name: 'changes nothing twice',
      call: 'PUT /api/network',
      body: { enabled: true, interfaces: ['eth0'] },
      status: 200,
    })
    const { port } = await networkOf(server)
    const ca = await authorityOf(port)
    expect((await lanCall('GET /health', { port, ca })).status).toBe(200)
    await expect(handshake({ host: '127.0.0.2', port, ca })).rejects.toMatchObject({ code: 'ECONNREFUSED' })
    await watcher.run({
      name: 'is turned off',
      call: 'PUT /api/network',
      body: { enabled: false },
      status: 200,
      reply: { data: { enabled: false, state: 'off', addresses: [], fingerprint: null } },
      audit: ['service-token setting_change network'],
      frames: ['setting', 'audit'],
    })
    await expect(handshake({ port, ca })).rejects.toMatchObject({ code: 'ECONNREFUSED' })
  })

  it('refuses unknown members, values out of range, and fields that the environment determines', async () => {
    const server = await start({ env: { LAN_PORT: '0' }, substitutes: { network: testNetwork('127.0.0.1') } })
    for (const more of [
      { discovery: true },
      { port: 0 },
      { name: 'x'.repeat(64) },
      { interfaces: [] },
      { port: 4999 },
    ]) {
      const body = { enabled: true, ...more }
      expect((await server.call('PUT /api/network', { body })).status, JSON.stringify(more)).toBe(422)
    }
    expect(await networkOf(server)).toMatchObject({ enabled: false })
  })

  it('is controlled by the environment, which the settings cannot change', async () => {
    const server = await start({
      env: { ...lanOn, LAN_INTERFACES: '127.0.0.1', LAN_NAME: 'Team' },
      substitutes: { network: testNetwork('127.0.0.2', '127.0.0.1') },
    })
    const network = await shareWith(server)
    expect(network).toMatchObject({
      name: 'Team',
      fixed: ['LAN', 'LAN_INTERFACES', 'LAN_PORT', 'LAN_NAME'],
      interfaces: [{ selected: false }, { selected: true }],
    })
    for (const [body, path] of [
      [{ enabled: false }, 'enabled'],
      [{ enabled: true, interfaces: null }, 'interfaces'],
      [{ enabled: true, name: null }, 'name'],
    ] as const) {
      const reply = await server.call('PUT /api/network', { body })
      expect(reply).toMatchObject({ status: 422, body: { errors: [{ path }] } })
    }
  })

  it('stops when a built-in credential comes back', async () => {
    const network = testNetwork('127.0.0.1')
    const server = await start({ env: lanOn, substitutes: { network } })
    await shareWith(server)
    await server.restart({ SERVICE_TOKEN: '' })
    // The default token is active again.
    const token = 'promptdeck-dev-token'
    const state = (await server.call('GET /api/network', { token })).body.data
    expect(state).toMatchObject({ enabled: true, state: 'blocked', blockers: [{ code: 'default_token' }] })
    const created = await server.call('POST /api/settings/service-token', { token })
    const current = () => server.call('GET /api/network', { token: created.body.data.token })
    await expect
      .poll(async () => (await current()).body.data, { timeout: 20_000 })
      .toMatchObject({ state: 'listening' })
  })

  it('stops when an account with the built-in password is enabled again', async () => {
    const server = await start({ env: lanOn, substitutes: { network: testNetwork('127.0.0.1') } })
    const { token } = await server.signedIn('admin')
    const users = (await server.call('GET /api/users?q=admin', { token })).body.data
    const builtIn = users.find(({ username }: { username: string }) => username === 'admin')
    const setDisabled = (disabled: boolean) =>
      server.call(`PATCH /api/users/${builtIn.id}`, { token, body: { disabled } })
    expect((await setDisabled(true)).status).toBe(200)
    const { port } = await networkWhen(server, isListening)
    const ca = await authorityOf(port)
    expect((await setDisabled(false)).status).toBe(200)
    const blocked = await networkWhen(server, ({ state }) => state === 'blocked')
    expect(blocked).toMatchObject({ addresses: [], blockers: [{ code: 'default_password' }] })
    await expect(handshake({ port, ca })).rejects.toMatchObject({ code: 'ECONNREFUSED' })
  })

  it('names a short service token as the reason', async () => {
    const server = await start({
      env: { ...lanOn, SERVICE_TOKEN: 'short' },
      substitutes: { network: testNetwork('127.0.0.1') },
    })
    const reply = await server.call('GET /api/network', { token: 'short' })
    expect(reply.body.data.blockers.map(({ code }: { code: string }) => code)).toEqual([
      'default_password',
      'short_token',
    ])
  })
})

describe('the network', () => {
  it('may change: addresses are added and removed without a restart', async () => {
    const network = testNetwork('127.0.0.1')
    const server = await start({ env: lanOn, substitutes: { network } })
    const { port, fingerprint } = await shareWith(server)
    const ca = await authorityOf(port)
    const first = await presented(port, ca)
    expect(first.subjectAltName).not.toContain('127.0.0.2')

    network.set('127.0.0.1', '127.0.0.2')
    await network.check()
    const more = await networkWhen(server, ({ addresses }) => addresses.length === 3)
    expect(more).toMatchObject({ port, fingerprint })
    const second = await presented(port, ca)
    expect(second.subjectAltName).toContain('IP Address:127.0.0.2')
    expect(second.serialNumber).not.toBe(first.serialNumber)
    expect((await lanCall('GET /health', { port, ca, hostHeader: `127.0.0.2:${port}` })).status).toBe(200)

    network.set('127.0.0.2')
    await network.check()
    await networkWhen(server, ({ addresses }) => addresses.length === 2)
    await expect(handshake({ port, ca })).rejects.toMatchObject({ code: 'ECONNREFUSED' })
    const socket = await handshake({ host: '127.0.0.2', port, ca })
    socket.destroy()

    network.set()
    await network.check()
    expect(await networkWhen(server, ({ state }) => state === 'failed')).toMatchObject({
      blockers: [{ code: 'no_address' }],
    })
    network.set('127.0.0.1')
    await network.check()
    expect((await networkWhen(server, isListening)).fingerprint).toBe(fingerprint)
  })

  it('never shares a public address', async () => {
    const network = testNetwork('127.0.0.1', '203.0.113.7', '2001:db8::7')
    const server = await start({ env: lanOn, substitutes: { network } })
    const { interfaces, addresses, port } = await shareWith(server)
    expect(interfaces.map(({ address }) => address)).toEqual(['127.0.0.1'])
    expect(addresses.join()).not.toMatch(/203|2001/)
    const certificate = await presented(port, await authorityOf(port))
    expect(certificate.subjectAltName).not.toMatch(/203|2001/)
  })

  it('follows a change of the host name within the constraints', async () => {
    const network = testNetwork('127.0.0.1')
    const server = await start({ env: lanOn, substitutes: { network } })
    const { port } = await shareWith(server)
    const ca = await authorityOf(port)
    network.rename('laptop.corp.example')
    await network.check()
    await networkWhen(server, ({ addresses }) => addresses.includes(`https://laptop.local:${port}`))
    const { subjectAltName } = await presented(port, ca)
    expect(subjectAltName).toContain('DNS:laptop.local')
    expect(subjectAltName).not.toContain('corp.example')
  })

  it('reports a port in use and retries', async () => {
    const first = await start({ env: lanOn, substitutes: { network: testNetwork('127.0.0.1') } })
    const { port } = await shareWith(first)
    const network = testNetwork('127.0.0.1')
    const second = await start({ env: { LAN: 'on', LAN_PORT: String(port) }, substitutes: { network } })
    const token = await second.login('admin', 'admin')
    const body = { current_password: 'admin', new_password: 'a long phrase of the admin' }
    await second.call('PUT /api/me/password', { token, body })
    const failed = await networkWhen(second, ({ state }) => state === 'failed')
    expect(failed.blockers).toMatchObject([
      { code: 'listen_failed', message: expect.stringContaining(`Port ${port} on 127.0.0.1 is in use`) },
    ])
    await first.stop()
    await network.check()
    expect((await networkWhen(second, isListening)).blockers).toEqual([])
  })
})
