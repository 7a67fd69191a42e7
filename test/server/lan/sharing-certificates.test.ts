import { mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { setDiskHook } from '../../../server/disk/hook.ts'
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
import { movableClock } from '../../support/scenario.ts'
import { closeAfterEach, closers, presented, start } from './sharing-support.ts'

const dayMs = 86_400_000

closeAfterEach()

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

  it('is not issued before the authority is valid', async () => {
    const { clock, pass } = movableClock()
    const network = testNetwork('127.0.0.1')
    const server = await start({ env: lanOn, substitutes: { network, clock } })
    await shareWith(server)
    pass(-400 * dayMs)
    await network.check()
    const { blockers } = await networkWhen(server, ({ state }) => state === 'failed')
    expect(blockers[0]?.message).toContain('Correct the clock')
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

  it('stays if the disk is full', async () => {
    const server = await start({ env: lanOn, substitutes: { network: testNetwork('127.0.0.1') } })
    const { fingerprint, port } = await shareWith(server)
    setDiskHook({
      before({ call, path }) {
        if (call === 'open' && path.endsWith('.pem.tmp'))
          throw Object.assign(new Error('full'), { code: 'ENOSPC' })
      },
    })
    const refused = await server.call('POST /api/network/authority')
    setDiskHook(undefined)
    expect(refused.status).toBe(507)
    expect(await networkOf(server)).toMatchObject({ state: 'listening', fingerprint, port })
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

  it('is reported at the start with a missing file, no certificate, or no key', async () => {
    const { server, pair } = await startWithOwn()
    const { cert, key } = pair.files
    const damages: [file: string, text: string, message: RegExp][] = [
      [cert, 'x', /contains no PEM certificate/],
      [key, 'x', /is not a usable private key/],
      [key, '', /TLS_KEY cannot be read/],
    ]
    for (const [file, text, message] of damages) {
      await server.stop()
      await writeFile(cert, pair.chainPem)
      await (text === '' ? rm(file) : writeFile(file, text))
      await server.restart()
      const network = await networkOf(server)
      expect(network).toMatchObject({ state: 'failed', blockers: [{ code: 'own_certificate' }] })
      expect(network.blockers[0]?.message).toMatch(message)
    }
  })
})
