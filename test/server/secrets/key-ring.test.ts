import { randomBytes } from 'node:crypto'
import { chmod, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { keyLine } from '../../../server/auth/key-file.ts'
import { type KeyRingDeps, openKeyRing } from '../../../server/secrets/key-ring.ts'
import type { OsKeyStore } from '../../../server/secrets/os-key-store.ts'
import { createVault } from '../../../server/secrets/vault.ts'

let folder: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'promptdeck-keys-'))
})
afterEach(() => rm(folder, { recursive: true, force: true }))

const warnings: string[] = []
beforeEach(() => void warnings.splice(0))
const warn = (_details: object, message: string) => void warnings.push(message)
const file = () => join(folder, 'providers.key')
const open = async (osStore: OsKeyStore | null = null, more: Partial<KeyRingDeps> = {}) => {
  const ring = await openKeyRing({
    folder,
    osStore,
    logger: { warn, error: warn },
    ...more,
  })
  return { ring, vault: createVault(ring) }
}
const read = () => readFile(file(), 'utf8').catch(() => null)

/** The system's key store: its content is in `providers.wrapped`, as the desktop app writes it. */
function system(options: { stored?: string | null; use?: OsKeyStore['use']; refuses?: boolean } = {}) {
  const state = { stored: options.stored ?? null, calls: 0 }
  const store: OsKeyStore = {
    stored: state.stored,
    use: options.use ?? 'os',
    async store(text) {
      state.calls += 1
      if (options.refuses === true) throw new Error('locked')
      state.stored = text
      if (text === null) await rm(join(folder, 'providers.wrapped'), { force: true })
      else await writeFile(join(folder, 'providers.wrapped'), 'sealed')
    },
  }
  return { store, state }
}

describe('the vault', () => {
  it('decrypts what it sealed, and nothing else', async () => {
    const { vault } = await open()
    const sealed = await vault.seal('openai', 'api_key', 'sk-canary-ü')
    expect(sealed).toMatch(/^v1\.[0-9a-f]{8}\.[\w-]+$/)
    expect(vault.open('openai', 'api_key', sealed)).toEqual({ text: 'sk-canary-ü' })
    // Moved to another provider or purpose, it cannot be decrypted.
    expect(vault.open('claude', 'api_key', sealed)).toHaveProperty('problem')
    expect(vault.open('openai', 'other', sealed)).toHaveProperty('problem')
    for (const damaged of [
      sealed.slice(0, -2),
      `${sealed}AA`,
      sealed.replace('v1', 'v2'),
      'v1.0.x',
      '',
      'sk-canary-ü',
    ]) {
      expect(vault.open('openai', 'api_key', damaged), damaged).toHaveProperty('problem')
    }
    const flipped = sealed.slice(0, -1) + (sealed.endsWith('A') ? 'Q' : 'A')
    expect(vault.open('openai', 'api_key', flipped)).toHaveProperty('problem')
  })
  it('never seals the same text to the same bytes twice', async () => {
    const { vault } = await open()
    const all = await Promise.all(Array.from({ length: 50 }, () => vault.seal('openai', 'api_key', 'same')))
    expect(new Set(all).size).toBe(50)
    expect(all.join()).not.toContain(Buffer.from('same').toString('base64url'))
  })
})

describe('the key file', () => {
  it('is created on first use, private to its owner, and once', async () => {
    const { ring, vault } = await open()
    expect(await read()).toBeNull()
    const [first, second] = await Promise.all([ring.current(), ring.current()])
    expect(first?.id).toBe(second?.id)
    expect(await read()).toMatch(/^[0-9a-f]{64} [0-9a-f]{16}\n$/)
    expect((await stat(file())).mode & 0o777).toBe(0o600)
    const sealed = await vault.seal('openai', 'api_key', 'sk-1')
    expect((await open()).vault.open('openai', 'api_key', sealed)).toEqual({ text: 'sk-1' })
  })
  it('that others may read is made private', async () => {
    await (await open()).ring.current()
    await chmod(file(), 0o644)
    await open()
    expect((await stat(file())).mode & 0o777).toBe(0o600)
  })
  it('that a killed process did not finish is removed at the next start', async () => {
    await writeFile(`${file()}.tmp`, 'half')
    await open()
    await expect(stat(`${file()}.tmp`)).rejects.toThrow('ENOENT')
  })
  it('if it is lost, existing secrets report it, and new ones can be stored', async () => {
    const { vault } = await open()
    const sealed = await vault.seal('openai', 'api_key', 'sk-1')
    await rm(file())
    const again = await open()
    expect(again.vault.open('openai', 'api_key', sealed)).toEqual({
      problem: expect.stringContaining('keys/providers.key is missing'),
    })
    const fresh = await again.vault.seal('openai', 'api_key', 'sk-2')
    expect(again.vault.open('openai', 'api_key', fresh)).toEqual({ text: 'sk-2' })
    expect(again.vault.open('openai', 'api_key', sealed)).toHaveProperty('problem')
  })
  it('that is damaged is refused with a remedy, and not changed', async () => {
    const { vault } = await open()
    const sealed = await vault.seal('openai', 'api_key', 'sk-1')
    const original = await readFile(file(), 'utf8')
    for (const damaged of [original.slice(1), '', `${original}x`, 'a secret of mine']) {
      await writeFile(file(), damaged)
      await expect(open()).rejects.toThrow(
        /providers\.key is damaged\. Restore a copy .*move the file away .*set again/,
      )
      expect(await read()).toBe(damaged)
    }
    expect(await readdir(folder)).toEqual(['providers.key'])
    await writeFile(file(), original)
    expect((await open()).vault.open('openai', 'api_key', sealed)).toEqual({ text: 'sk-1' })
    await rm(file())
    expect((await open()).vault.open('openai', 'api_key', sealed)).toHaveProperty('problem')
  })
})

describe('the key store of the system', () => {
  it('stores a new key, and no file does', async () => {
    const { store, state } = system()
    const { vault } = await open(store)
    const sealed = await vault.seal('openai', 'api_key', 'sk-1')
    expect(await readdir(folder)).toEqual(['providers.wrapped'])
    const next = await open(system({ stored: state.stored }).store)
    expect(next.vault.open('openai', 'api_key', sealed)).toEqual({ text: 'sk-1' })
  })
  it('imports the file of a service that ran without it', async () => {
    const sealed = await (await open()).vault.seal('openai', 'api_key', 'sk-1')
    const { store, state } = system()
    const { ring, vault } = await open(store)
    expect(vault.open('openai', 'api_key', sealed)).toEqual({ text: 'sk-1' })
    await ring.settled()
    expect(await read()).toBeNull()
    expect(
      (await open(system({ stored: state.stored }).store)).vault.open('openai', 'api_key', sealed),
    ).toEqual({
      text: 'sk-1',
    })
  })
  it('merges both keys if the folder was served with and without it', async () => {
    const stored = keyLine(randomBytes(32))
    const desktop = await (await open(system({ stored }).store)).vault.seal(
      'openai',
      'api_key',
      'of the desktop',
    )
    await writeFile(join(folder, 'providers.wrapped'), 'sealed')
    const alone = await open()
    expect(alone.vault.open('openai', 'api_key', desktop)).toEqual({
      problem: expect.stringContaining('Start the desktop app to use it, or set the key again here'),
    })
    const plain = await alone.vault.seal('claude', 'api_key', 'of the service')
    const { store, state } = system({ stored })
    const { ring, vault } = await open(store)
    await ring.settled()
    expect(vault.open('openai', 'api_key', desktop)).toEqual({ text: 'of the desktop' })
    expect(vault.open('claude', 'api_key', plain)).toEqual({ text: 'of the service' })
    expect(state.stored?.split('\n')).toHaveLength(3)
    expect(await read()).toBeNull()
  })
  it('that cannot store leaves the key in the file, and reports it', async () => {
    const { store } = system({ refuses: true })
    const sealed = await (await open(store)).vault.seal('openai', 'api_key', 'sk-1')
    expect(warnings.join()).toContain('it remains in keys/providers.key')
    expect((await stat(file())).mode & 0o777).toBe(0o600)
    const { ring, vault } = await open(system({ refuses: true }).store)
    await ring.settled()
    expect(vault.open('openai', 'api_key', sealed)).toEqual({ text: 'sk-1' })
    expect(await read()).not.toBeNull()
  })
  it('returns its keys when it is disabled', async () => {
    const stored = keyLine(randomBytes(32))
    const sealed = await (await open(system({ stored }).store)).vault.seal('openai', 'api_key', 'sk-1')
    await writeFile(join(folder, 'providers.wrapped'), 'sealed')
    const { store, state } = system({ stored, use: 'file' })
    const { ring } = await open(store)
    await ring.settled()
    expect(state).toMatchObject({ stored: null, calls: 1 })
    expect(await readdir(folder)).toEqual(['providers.key'])
    expect((await open()).vault.open('openai', 'api_key', sealed)).toEqual({ text: 'sk-1' })
  })
  it('that can no longer decrypt its content is named as the reason', async () => {
    const stored = keyLine(randomBytes(32))
    const sealed = await (await open(system({ stored }).store)).vault.seal('openai', 'api_key', 'sk-1')
    await writeFile(join(folder, 'providers.wrapped'), 'sealed')
    const { vault } = await open(system().store)
    expect(vault.open('openai', 'api_key', sealed)).toEqual({
      problem: expect.stringContaining('key store of this computer can no longer decrypt it'),
    })
  })
  it('whose content is not a key is refused with a remedy, and not replaced', async () => {
    const { store, state } = system({ stored: 'not a key' })
    await expect(open(store)).rejects.toThrow(/providers\.wrapped is damaged.*Restore a copy.*set again/)
    expect(state).toMatchObject({ stored: 'not a key', calls: 0 })
  })
})
