import { X509Certificate } from 'node:crypto'
import { once } from 'node:events'
import { chmod, mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { type AddressInfo, isIP } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createServer } from 'node:tls'
import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type Authority, createAuthority } from '../../../server/lan/certificates/authority.ts'
import {
  type KeySeal,
  readAuthority,
  setAside,
  writeAuthority,
} from '../../../server/lan/certificates/authority-file.ts'
import { isPermittedAddress } from '../../../server/lan/certificates/constraints.ts'
import { isDue, issueLeaf } from '../../../server/lan/certificates/leaf.ts'
import { keyPem, newKeys, newSerial, signing, x509 } from '../../../server/lan/certificates/x509.ts'
import { handshake, hasOpenssl, openssl } from '../../support/lan/lan.ts'

const now = new Date('2026-11-23T12:00:00Z')
const dayMs = 86_400_000
const plain: KeySeal = { isUsed: false, seal: async (text) => text, open: (text) => ({ text }) }

/** Signs a certificate with any names, as someone with the stolen key of the authority could. */
async function forge(authority: Authority, names: readonly { type: 'dns' | 'ip'; value: string }[]) {
  const keys = await newKeys()
  const created = await x509.X509CertificateGenerator.create({
    serialNumber: newSerial(),
    subject: 'CN=forged',
    issuer: new x509.X509Certificate(authority.pem).subject,
    notBefore: new Date(Date.now() - dayMs),
    notAfter: new Date(Date.now() + dayMs),
    publicKey: keys.publicKey,
    signingKey: authority.key,
    signingAlgorithm: signing,
    extensions: [new x509.SubjectAlternativeNameExtension([...names])],
  })
  return { cert: created.toString('pem'), key: await keyPem(keys.privateKey) }
}

/** Serves a certificate on loopback and connects with `ca` as the only authority. */
async function verify(pair: { cert: string; key: string }, ca: string, servername: string): Promise<void> {
  const server = createServer(pair, (socket) => socket.end())
  server.on('tlsClientError', () => undefined)
  await once(server.listen(0, '127.0.0.1'), 'listening')
  try {
    const { port } = server.address() as AddressInfo
    const isName = isIP(servername) === 0
    const socket = await handshake({
      port,
      ca,
      ...(isName && { servername }),
      ...(!isName && { checkServerIdentity: () => undefined }),
    })
    socket.destroy()
  } finally {
    server.close()
  }
}

describe('the authority', () => {
  const names = ['desk', 'desk.local', 'desk.corp.example']
  let authority: Authority
  beforeAll(async () => {
    authority = await createAuthority(names, new Date())
  })

  it('may only issue certificates of servers, and no further authority', async () => {
    const { certificate, pem } = await createAuthority(names, now)
    expect(certificate.ca).toBe(true)
    expect(certificate.keyUsage).toEqual(['1.3.6.1.5.5.7.3.1'])
    expect(certificate.publicKey.asymmetricKeyDetails).toEqual({ namedCurve: 'prime256v1' })
    const parsed = new x509.X509Certificate(pem)
    expect(parsed.getExtension(x509.BasicConstraintsExtension)).toMatchObject({
      pathLength: 0,
      critical: true,
    })
    expect(parsed.getExtension('2.5.29.30')).toMatchObject({ critical: true })
  })

  it.each(['desk', 'printer.local', 'desk.corp.example', 'localhost'])(
    'is accepted for %s',
    async (value) => {
      await verify(await forge(authority, [{ type: 'dns', value }]), authority.pem, value)
    },
  )

  it.each([
    '10.1.2.3',
    '172.31.255.1',
    '192.168.0.1',
    '169.254.3.4',
    '100.100.0.1',
    '127.0.0.1',
    'fd12::1',
    'fe80::1',
    '::1',
  ])('is accepted for the address %s', async (value) => {
    expect(isPermittedAddress(value)).toBe(true)
    await verify(await forge(authority, [{ type: 'ip', value }]), authority.pem, value)
  })

  it.each([
    ['dns', 'example.com'],
    ['dns', 'corp.example'],
    ['dns', 'mydesk'],
    ['dns', 'evillocal'],
    ['dns', 'notlocalhost'],
    ['ip', '8.8.8.8'],
    ['ip', '172.32.0.1'],
    ['ip', '100.128.0.1'],
    ['ip', '2001:db8::1'],
    ['ip', '::2'],
  ] as const)('is refused by clients for the %s %s', async (type, value) => {
    if (type === 'ip') expect(isPermittedAddress(value)).toBe(false)
    // The first name is permitted: one name that is not permitted must be enough for the refusal.
    const pair = await forge(authority, [
      { type: 'dns', value: 'desk.local' },
      { type, value },
    ])
    await expect(verify(pair, authority.pem, 'desk.local')).rejects.toThrow(/permitted subtree violation/)
  })

  it.skipIf(!hasOpenssl)('is enforced by openssl', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'promptdeck-ca-'))
    const files = { ca: join(folder, 'ca.pem'), good: join(folder, 'good.pem'), bad: join(folder, 'bad.pem') }
    await writeFile(files.ca, authority.pem)
    await writeFile(files.good, (await forge(authority, [{ type: 'ip', value: '10.0.0.1' }])).cert)
    await writeFile(files.bad, (await forge(authority, [{ type: 'ip', value: '1.1.1.1' }])).cert)
    expect(await openssl('verify', '-x509_strict', '-CAfile', files.ca, files.ca)).toContain('OK')
    expect(await openssl('verify', '-CAfile', files.ca, files.good)).toContain('OK')
    expect(await openssl('verify', '-CAfile', files.ca, files.bad)).toContain('permitted subtree violation')
    await rm(folder, { recursive: true })
  })
})

describe('a server certificate', () => {
  it('contains only what the authority permits', async () => {
    const authority = await createAuthority(['desk', 'desk.local'], now)
    const subjects = {
      names: ['desk', 'desk.local', 'localhost', 'renamed', 'renamed.local', 'example.com'],
      addresses: ['192.168.1.5', 'fd00::5', '8.8.8.8', '2001:db8::5'],
    }
    const { chainPem, keyPem: key } = await issueLeaf(authority, subjects, now)
    const leaf = new X509Certificate(chainPem)
    expect(leaf.subjectAltName).toBe(
      'DNS:desk, DNS:desk.local, DNS:localhost, DNS:renamed.local, IP Address:192.168.1.5, IP Address:FD00:0:0:0:0:0:0:5',
    )
    expect(leaf.verify(authority.certificate.publicKey)).toBe(true)
    expect(leaf.ca).toBe(false)
    expect(key).toContain('BEGIN PRIVATE KEY')
    expect(chainPem).toContain(authority.pem.trim())
  })

  it('lasts at most 397 days and never longer than its authority', async () => {
    const authority = await createAuthority(['desk'], now)
    const subjects = { names: ['desk'], addresses: [] }
    const leaf = await issueLeaf(authority, subjects, now)
    expect((leaf.notAfter.getTime() - leaf.notBefore.getTime()) / dayMs).toBeLessThanOrEqual(397)
    const late = new Date(leaf.authorityNotAfter.getTime() - 2 * dayMs)
    expect((await issueLeaf(authority, subjects, late)).notAfter).toEqual(leaf.authorityNotAfter)
  })

  it('is due when a third of its life is left, unless it ends with its authority', async () => {
    const authority = await createAuthority(['desk'], now)
    const subjects = { names: ['desk'], addresses: [] }
    const leaf = await issueLeaf(authority, subjects, now)
    const third = (leaf.notAfter.getTime() - leaf.notBefore.getTime()) / 3
    expect(isDue(leaf, now)).toBe(false)
    expect(isDue(leaf, new Date(leaf.notAfter.getTime() - third - 1000))).toBe(false)
    expect(isDue(leaf, new Date(leaf.notAfter.getTime() - third))).toBe(true)
    expect(isDue(leaf, new Date(now.getTime() - dayMs))).toBe(true)
    const late = new Date(leaf.authorityNotAfter.getTime() - 60_000)
    expect(isDue(await issueLeaf(authority, subjects, late), late)).toBe(false)
  })
})

describe('the file of the authority', () => {
  let folder: string
  let file: string
  let authority: Authority

  beforeAll(async () => {
    authority = await createAuthority(['desk'], now)
  })
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'promptdeck-ca-'))
    file = join(folder, 'keys', 'lan-ca.pem')
    await writeAuthority(file, authority, plain)
  })
  afterEach(() => rm(folder, { recursive: true, force: true }))

  it.skipIf(process.platform === 'win32')('can be read by this user only', async () => {
    expect((await stat(file)).mode & 0o777).toBe(0o600)
    await chmod(file, 0o644)
    expect((await readAuthority(file, plain))?.fingerprint).toBe(authority.fingerprint)
    expect((await stat(file)).mode & 0o777).toBe(0o600)
  })

  it.each([
    ['is empty', () => ''],
    ['is cut off', (text: string) => text.slice(0, -60)],
    ['has no key', (text: string) => text.slice(0, text.indexOf('-----BEGIN PRIVATE'))],
    ['has no certificate', (text: string) => text.slice(text.indexOf('-----BEGIN PRIVATE'))],
    ['has a changed certificate', (text: string) => text.replace(/MII(.)/, 'MIJ$1')],
    [
      'has a changed name',
      (text: string) => text.slice(0, 200) + (text[200] === 'A' ? 'B' : 'A') + text.slice(201),
    ],
  ])('is refused and not changed if it %s', async (_, damage) => {
    const text = await readFile(file, 'utf8')
    await writeFile(file, damage(text))
    await expect(readAuthority(file, plain)).rejects.toThrow(/damaged\. Restore a copy.*create a new/)
    expect(await readFile(file, 'utf8')).toBe(damage(text))
  })

  it('is refused with the key of another authority', async () => {
    const other = await createAuthority(['desk'], now)
    await writeAuthority(file, { ...authority, key: other.key }, plain)
    await expect(readAuthority(file, plain)).rejects.toThrow(/damaged/)
  })

  it('is refused if it cannot be read', async () => {
    await rm(file)
    await mkdir(file)
    await expect(readAuthority(file, plain)).rejects.toThrow(/cannot be read/)
  })

  it('is sealed with the key store of the desktop app, and unsealed without it', async () => {
    const seal: KeySeal = {
      isUsed: true,
      seal: async (text) => `v1.00000000.${Buffer.from(text).toString('base64url')}`,
      open: (text) => ({ text: Buffer.from(text.split('.')[2] ?? '', 'base64url').toString() }),
    }
    expect((await readAuthority(file, seal))?.fingerprint).toBe(authority.fingerprint)
    expect(await readFile(file, 'utf8')).not.toContain('PRIVATE KEY')
    expect((await readAuthority(file, seal))?.fingerprint).toBe(authority.fingerprint)
    const lost: KeySeal = { ...seal, open: () => ({ problem: 'gone' }) }
    await expect(readAuthority(file, lost)).rejects.toThrow(/key store of this computer cannot decrypt/)
    expect((await readAuthority(file, { ...seal, isUsed: false }))?.fingerprint).toBe(authority.fingerprint)
    expect(await readFile(file, 'utf8')).toContain('PRIVATE KEY')
  })

  it('has a second name before it is replaced', async () => {
    await setAside(file, now)
    const aside = 'lan-ca.pem.replaced-2026-11-23T12-00-00-000Z'
    expect(await readdir(join(folder, 'keys'))).toEqual(['lan-ca.pem', aside])
  })
})
