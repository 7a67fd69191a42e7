import { X509Certificate } from 'node:crypto'
import { mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import { createAuthority } from '../../../server/lan/certificates/authority.ts'
import { issueLeaf } from '../../../server/lan/certificates/leaf.ts'
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
import { movableClock, watch } from '../../support/scenario.ts'
import { startTestServer, type TestServer, type TestServerOptions } from '../../support/service.ts'

const dayMs = 86_400_000
const closers: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close()
})

async function start(options: TestServerOptions = {}): Promise<TestServer> {
  const server = await startTestServer(options)
  closers.push(() => server.close())
  return server
}

/** Returns the certificate that the listener presents to a client that trusts the authority. */
async function presented(port: number, ca: string): Promise<X509Certificate> {
  const socket = await handshake({ port, ca })
  const { raw } = socket.getPeerCertificate()
  socket.destroy()
  return new X509Certificate(raw)
}

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

  it.each([
    ['an unknown member', { enabled: true, discovery: true }, 422],
    ['a port of another kind', { enabled: true, port: 0 }, 422],
    ['a long name', { enabled: true, name: 'x'.repeat(64) }, 422],
    ['no interface', { enabled: true, interfaces: [] }, 422],
    ['a field that the environment determines', { enabled: true, port: 4999 }, 422],
  ])('refuses %s', async (_, body, status) => {
    const server = await start({ env: { LAN_PORT: '0' }, substitutes: { network: testNetwork('127.0.0.1') } })
    expect((await server.call('PUT /api/network', { body })).status).toBe(status)
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

describe('the certificate', () => {
  it('is issued again when a third of its life is left, for new connections only', async () => {
    const { clock, pass } = movableClock()
    const network = testNetwork('127.0.0.1')
    const server = await start({ env: lanOn, substitutes: { network, clock } })
    const { port, fingerprint, certificate } = await shareWith(server)
    const ca = await authorityOf(port)
    const open = await handshake({ port, ca })
    const before = await presented(port, ca)
    pass(50 * dayMs)
    await network.check()
    expect((await networkOf(server)).certificate).toEqual(certificate)
    pass(11 * dayMs)
    await network.check()
    const after = await networkWhen(server, (now) => now.certificate?.not_after !== certificate?.not_after)
    expect(after.fingerprint).toBe(fingerprint)
    // The clock of this process is not ahead, so the new certificate is read without its dates.
    const socket = await handshake({ port, ca, rejectUnauthorized: false })
    expect(socket.getPeerCertificate().serialNumber).not.toBe(before.serialNumber)
    socket.destroy()
    open.write(`GET /health HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nConnection: close\r\n\r\n`)
    const [bytes] = await new Promise<[Buffer]>((resolve) => open.once('data', (data) => resolve([data])))
    expect(String(bytes)).toContain('200 OK')
    open.destroy()
  })

  it('keeps its authority over a restart', async () => {
    const server = await start({ env: lanOn, substitutes: { network: testNetwork('127.0.0.1') } })
    const { fingerprint, words } = await shareWith(server)
    await server.restart()
    expect(await networkOf(server)).toMatchObject({ state: 'listening', fingerprint, words })
  })

  it('has a sealed authority in the desktop app, which the service alone does not replace', async () => {
    let stored: string | null = null
    const osKeyStore = {
      get stored() {
        return stored
      },
      use: 'os' as const,
      store: async (text: string | null) => {
        stored = text
      },
    }
    const network = testNetwork('127.0.0.1')
    const app = await start({ env: lanOn, substitutes: { network, osKeyStore } })
    const { fingerprint } = await shareWith(app)
    const file = join(app.dataDir, 'keys', 'lan-ca.pem')
    const text = await readFile(file, 'utf8')
    expect(text).toContain('BEGIN PROMPTDECK SEALED KEY')
    expect(text).not.toContain('PRIVATE KEY')
    expect(stored).not.toBeNull()
    await app.restart()
    expect(await networkOf(app)).toMatchObject({ state: 'listening', fingerprint })
    await app.stop()

    const alone = await start({ env: lanOn, dataDir: app.dataDir, substitutes: { network } })
    expect(await networkOf(alone)).toMatchObject({
      state: 'failed',
      blockers: [{ code: 'authority', message: expect.stringContaining('Start the desktop app') }],
    })
    expect(await readFile(file, 'utf8')).toBe(text)
  })

  it('is never replaced silently: a lost or damaged authority stops sharing', async () => {
    const server = await start({ env: lanOn, substitutes: { network: testNetwork('127.0.0.1') } })
    const { fingerprint } = await shareWith(server)
    const file = join(server.dataDir, 'keys', 'lan-ca.pem')
    const text = await readFile(file, 'utf8')
    await server.stop()
    await rm(file)
    await server.restart()
    expect(await networkOf(server)).toMatchObject({
      state: 'failed',
      fingerprint: null,
      blockers: [{ code: 'authority', message: expect.stringMatching(/missing\. Restore a copy/) }],
    })
    await expect(readFile(file)).rejects.toThrow('ENOENT')
    await server.stop()
    await writeFile(file, text.slice(0, 500))
    await server.restart()
    const damaged = await networkOf(server)
    expect(damaged.blockers).toMatchObject([{ message: expect.stringContaining('damaged') }])
    expect(await readFile(file, 'utf8')).toBe(text.slice(0, 500))
    expect((await server.call('GET /api/me')).status).toBe(200)

    const replaced = await server.call('POST /api/network/authority')
    expect(replaced).toMatchObject({ status: 201, body: { data: { state: 'listening', blockers: [] } } })
    expect(replaced.body.data.fingerprint).not.toBe(fingerprint)
    const audit = (await server.call('GET /api/audit?resource=network')).body.data
    expect(audit[0]).toMatchObject({ action: 'create', resource: 'network', resource_id: 'authority' })
    const { port } = await networkOf(server)
    await presented(port, await authorityOf(port))
  })
})

describe("the operator's own certificate", () => {
  async function ownPair(folder: string) {
    const authority = await createAuthority(['desk'], new Date())
    const subjects = { names: ['desk', 'deck.local'], addresses: ['127.0.0.1'] }
    const { chainPem, keyPem } = await issueLeaf(authority, subjects, new Date())
    const files = { cert: join(folder, 'tls.crt'), key: join(folder, 'tls.key') }
    return { files, chainPem, keyPem, authority }
  }

  /** Replaces a file as deployment tools do: the new file has another inode. */
  async function replace(file: string, text: string): Promise<void> {
    await writeFile(`${file}.new`, text)
    await rename(`${file}.new`, file)
  }

  async function startWithOwn() {
    const folder = await mkdtemp(join(tmpdir(), 'promptdeck-own-'))
    closers.push(() => rm(folder, { recursive: true }))
    const pair = await ownPair(folder)
    await writeFile(pair.files.cert, pair.chainPem)
    await writeFile(pair.files.key, pair.keyPem)
    const network = testNetwork('127.0.0.1')
    const env = { ...lanOn, TLS_CERT: pair.files.cert, TLS_KEY: pair.files.key }
    const server = await start({ env, substitutes: { network } })
    return { folder, pair, network, server, shared: await shareWith(server) }
  }

  it('is presented, and its names are accepted as hosts', async () => {
    const { server, pair, shared } = await startWithOwn()
    expect(shared).toMatchObject({
      certificate: { source: 'own' },
      fingerprint: pair.authority.fingerprint,
      fixed: ['LAN', 'LAN_PORT', 'TLS_CERT', 'TLS_KEY'],
    })
    const call = { port: shared.port, ca: pair.authority.pem, host: 'deck.local' }
    expect((await lanCall('GET /health', call)).status).toBe(200)
    expect((await server.call('POST /api/network/authority')).status).toBe(422)
  })

  it('is reloaded when both files were replaced; a broken pair keeps the old one', async () => {
    const { server, folder, pair, network, shared } = await startWithOwn()
    const { port } = shared
    const old = await presented(port, pair.authority.pem)
    const next = await ownPair(folder)

    // The certificate arrives first: it does not belong to the key.
    await replace(pair.files.cert, next.chainPem)
    await network.check()
    expect((await presented(port, pair.authority.pem)).serialNumber).toBe(old.serialNumber)

    await replace(pair.files.key, next.keyPem)
    await network.check()
    await networkWhen(server, ({ fingerprint }) => fingerprint === next.authority.fingerprint)
    const renewed = await presented(port, next.authority.pem)
    expect(renewed.serialNumber).not.toBe(old.serialNumber)

    await rm(pair.files.key)
    await replace(pair.files.cert, 'broken')
    await network.check()
    expect((await presented(port, next.authority.pem)).serialNumber).toBe(renewed.serialNumber)
    expect((await networkOf(server)).state).toBe('listening')
  })

  it.each([
    ['a missing file', (files: { cert: string; key: string }) => rm(files.key), /TLS_KEY cannot be read/],
    [
      'no certificate',
      (files: { cert: string }) => writeFile(files.cert, 'x'),
      /contains no PEM certificate/,
    ],
    ['no key', (files: { key: string }) => writeFile(files.key, 'x'), /is not a usable private key/],
  ])('is reported at the start with %s', async (_, damage, message) => {
    const { server, pair } = await startWithOwn()
    await server.stop()
    await damage(pair.files)
    await server.restart()
    const network = await networkOf(server)
    expect(network).toMatchObject({ state: 'failed', blockers: [{ code: 'own_certificate' }] })
    expect(network.blockers[0]?.message).toMatch(message)
  })
})
