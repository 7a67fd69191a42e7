import { createSecretKey, randomBytes } from 'node:crypto'
import { chmod, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import jwt from 'jsonwebtoken'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { loadKey } from '../../../server/auth/key-file.ts'
import { createServiceToken, newServiceToken } from '../../../server/auth/tokens/service-token.ts'
import { createTokens } from '../../../server/auth/tokens/tokens.ts'

const now = new Date('2026-11-21T09:30:00.000Z')
const seconds = now.getTime() / 1000
const later = (ms: number) => new Date(now.getTime() + ms)
const secret = randomBytes(32)
const session = { id: 's1', userId: 'u1', createdAtMs: now.getTime(), expiresAtMs: now.getTime() + 60_000 }
const claims = {
  iss: 'promptdeck',
  aud: 'promptdeck',
  typ: 'session',
  sid: 's1',
  sub: 'u1',
  iat: seconds,
  exp: seconds + 60,
}

describe('session tokens', () => {
  const tokens = createTokens({ key: createSecretKey(secret) })

  it('contain user and session, but no role', () => {
    const token = tokens.issue(session)
    expect(jwt.decode(token)).toEqual(claims)
    expect(jwt.decode(token, { complete: true })?.header).toEqual({ alg: 'HS256', typ: 'JWT' })
    expect(tokens.verify(token, now)).toEqual({
      sessionId: 's1',
      userId: 'u1',
      expiresAtMs: session.expiresAtMs,
    })
  })

  it('expire on time, even if they are cached', () => {
    const token = tokens.issue(session)
    expect(tokens.verify(token, later(59_999))).not.toBeNull()
    expect(tokens.verify(token, later(60_000))).toBeNull()
  })

  const sign = (payload: object, key: Buffer | string = secret, algorithm: jwt.Algorithm = 'HS256') =>
    jwt.sign(JSON.parse(JSON.stringify(payload)), key, { algorithm })
  const [head = '', body = '', signature = ''] = sign(claims).split('.')
  const base64 = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url')

  it.each([
    ['signed with another key', sign(claims, randomBytes(32))],
    ['signed with HS384', sign(claims, secret, 'HS384')],
    ['signed with HS512', sign(claims, secret, 'HS512')],
    ['with the algorithm none', `${base64({ alg: 'none', typ: 'JWT' })}.${body}.`],
    ['with the algorithm none and a signature', `${base64({ alg: 'none' })}.${body}.${signature}`],
    ['with another user', `${head}.${base64({ ...claims, sub: 'u2' })}.${signature}`],
    ['without a signature', `${head}.${body}.`],
    ['with a truncated signature', `${head}.${body}.${signature.slice(0, 20)}`],
    ['from another issuer', sign({ ...claims, iss: 'someone' })],
    ['for another audience', sign({ ...claims, aud: 'someone' })],
    ['of another type', sign({ ...claims, typ: 'api' })],
    ['without a type', sign({ ...claims, typ: undefined })],
    ['without a session', sign({ ...claims, sid: undefined })],
    ['without an expiry', sign({ ...claims, exp: undefined })],
    ['that has expired', sign({ ...claims, exp: seconds - 1 })],
    ['that is not valid yet', sign({ ...claims, nbf: seconds + 60 })],
    ['of 5,000 characters', sign({ ...claims, filler: 'x'.repeat(5000) })],
    ['that is empty', ''],
  ])('refuse one %s', (_, token) => {
    expect(tokens.verify(token, now)).toBeNull()
    expect(tokens.verify(token, now)).toBeNull()
  })

  it('remain valid when the full cache removes the oldest', () => {
    const small = createTokens({ key: createSecretKey(secret), maxCached: 2 })
    const all = ['a', 'b', 'c', 'd'].map((id) => small.issue({ ...session, id }))
    for (const round of [1, 2]) {
      for (const token of all) expect(small.verify(token, now), `round ${round}`).not.toBeNull()
    }
  })
})

describe('the key file', () => {
  let folder: string
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'promptdeck-key-'))
  })
  afterAll(() => rm(folder, { recursive: true, force: true }))
  const load = (file: string) => loadKey(file, 'everybody signs in again.')

  it('is created once, private to its owner, and read from then on', async () => {
    const file = join(folder, 'keys', 'jwt.key')
    const key = await load(file)
    expect(key.symmetricKeySize).toBe(32)
    expect((await load(file)).equals(key)).toBe(true)
    expect(await readdir(join(folder, 'keys'))).toEqual(['jwt.key'])
    if (process.platform === 'win32') return
    expect((await stat(file)).mode & 0o777).toBe(0o600)
    expect((await stat(join(folder, 'keys'))).mode & 0o777).toBe(0o700)
  })

  it('is made private if others could read it', async () => {
    const file = join(folder, 'open.key')
    const key = await load(file)
    await chmod(file, 0o644)
    expect((await load(file)).equals(key)).toBe(true)
    if (process.platform !== 'win32') expect((await stat(file)).mode & 0o777).toBe(0o600)
  })

  it.each([
    ['empty', () => ''],
    ['truncated', (text: string) => text.slice(0, 40)],
    ['changed in one digit', (text: string) => (text[0] === '0' ? '1' : '0') + text.slice(1)],
    ['too long', (text: string) => `${text}x`],
    ['other content', () => 'a secret of mine\n'],
  ])('is refused and not replaced if it is %s', async (name, damage) => {
    const file = join(folder, `${name}.key`)
    await load(file)
    const damaged = damage(await readFile(file, 'utf8'))
    await writeFile(file, damaged)
    await expect(load(file)).rejects.toThrow(/damaged.*everybody signs in again/s)
    expect(await readFile(file, 'utf8')).toBe(damaged)
  })

  it('is refused if it cannot be read', async () => {
    await expect(load(folder)).rejects.toThrow('cannot be read')
  })
})

describe('the service token', () => {
  const { token, stored } = newServiceToken()

  it('is 256 random bits, stored as a hash and its last four characters', () => {
    expect(token).toMatch(/^pd_svc_[\w-]{43}$/)
    expect(stored.hash).toMatch(/^[0-9a-f]{64}$/)
    expect(JSON.stringify(stored)).not.toContain(token.slice(7))
    expect(token.endsWith(stored.hint)).toBe(true)
    expect(newServiceToken().token).not.toBe(token)
  })

  it.each([
    ['the built-in token', null, null, 'promptdeck-dev-token', 'default'],
    ['the stored token', null, stored, token, 'stored'],
    ['the token from the environment', 'from-the-environment', null, 'from-the-environment', 'environment'],
    [
      'the token from the environment, not the stored one',
      'from-the-environment',
      stored,
      'from-the-environment',
      'environment',
    ],
  ] as const)('is %s', (_, fromEnvironment, storedToken, accepted, source) => {
    const service = createServiceToken({ fromEnvironment, stored: () => storedToken })
    expect(service.source()).toBe(source)
    const candidates = [
      'promptdeck-dev-token',
      token,
      'from-the-environment',
      '',
      `${accepted} `,
      accepted.slice(1),
    ]
    expect(candidates.filter((candidate) => service.matches(candidate))).toEqual([accepted])
  })
})
