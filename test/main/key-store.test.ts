import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { SafeStoragePart } from '../../main/lib/seal.ts'
import { createKeyStore, type KeyStoreOptions, unlockLimitMs } from '../../main/service/key-store.ts'
import { copyStartedFolder } from '../support/empty-store/copy.ts'
import { startTestServer } from '../support/service.ts'
import { manualClock } from './support/clock.ts'
import { type DesktopOptions, eventually, patience, startDesktop } from './support/desktop.ts'

vi.setConfig({ testTimeout: patience })

let folder: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'promptdeck-store-'))
})
afterEach(() => rm(folder, { recursive: true, force: true }))

/** Simulates encryption by reversing the text, with a changeable key. */
function safeStorage(more: Partial<SafeStoragePart> = {}): SafeStoragePart {
  return {
    isAsyncEncryptionAvailable: async () => true,
    encryptStringAsync: async (text) => Buffer.from(`sealed:${text}`).reverse(),
    async decryptStringAsync(bytes) {
      const text = Buffer.from(bytes).reverse().toString()
      if (!text.startsWith('sealed:')) throw new Error('not sealed here')
      return { result: text.slice(7), shouldReEncrypt: false }
    },
    getSelectedStorageBackend: () => 'gnome_libsecret',
    ...more,
  }
}
const file = () => join(folder, 'keys', 'providers.wrapped')
function open(more: Partial<KeyStoreOptions> = {}) {
  const lines: string[] = []
  const clock = manualClock()
  const store = createKeyStore({
    safeStorage: safeStorage(),
    file: file(),
    platform: 'linux',
    keyStoreSetting: undefined,
    clock,
    writeLog: (line) => void lines.push(line),
    ...more,
  })
  return { store, lines, clock }
}

describe('the key store of the system', () => {
  it('returns the stored text, which is not readable in the file', async () => {
    expect(await open().store.unlock()).toEqual({ stored: null, use: 'os' })
    await open().store.store('the keys')
    const { wrapped } = JSON.parse(await readFile(file(), 'utf8'))
    expect(Buffer.from(wrapped, 'base64').toString()).not.toContain('the keys')
    expect((await stat(file())).mode & 0o777).toBe(0o600)
    const { store } = open()
    expect(await store.unlock()).toEqual({ stored: 'the keys', use: 'os' })
    await store.store('others')
    expect(await readdir(join(folder, 'keys'))).toEqual(['providers.wrapped'])
    await store.store(null)
    expect(await open().store.unlock()).toEqual({ stored: null, use: 'os' })
  })

  it('is not used if it is missing, or uses a publicly known password', async () => {
    const none = open({ safeStorage: safeStorage({ isAsyncEncryptionAvailable: async () => false }) })
    expect(await none.store.unlock()).toEqual({ stored: null, use: 'file' })
    const basic = safeStorage({ getSelectedStorageBackend: () => 'basic_text' })
    expect(await open({ safeStorage: basic }).store.unlock()).toEqual({ stored: null, use: 'file' })
    const onMac: SafeStoragePart['getSelectedStorageBackend'] = () => {
      throw new Error('Linux only')
    }
    const mac = open({ platform: 'darwin', safeStorage: safeStorage({ getSelectedStorageBackend: onMac }) })
    expect(await mac.store.unlock()).toEqual({ stored: null, use: 'os' })
  })

  it('returns the keys and stops storing them, on request', async () => {
    await open().store.store('the keys')
    expect(await open({ keyStoreSetting: 'file' }).store.unlock()).toEqual({
      stored: 'the keys',
      use: 'file',
    })
  })

  it('that refuses does not prevent the start of the service, and loses nothing', async () => {
    await open().store.store('the keys')
    const shut = safeStorage({
      decryptStringAsync: async () => Promise.reject(new Error('the user said no')),
    })
    const { store, lines } = open({ safeStorage: shut })
    expect(await store.unlock()).toEqual({ stored: null, use: 'os' })
    expect(lines.join()).toContain('the user said no')
    // A text that cannot be decrypted again is not stored, and the old one remains.
    await expect(store.store('new')).rejects.toThrow('the user said no')
    expect(await open().store.unlock()).toEqual({ stored: 'the keys', use: 'os' })
    // A store that works again, but cannot decrypt the old text: that is set aside.
    await open().store.store('new')
    expect((await readdir(join(folder, 'keys'))).toSorted()).toEqual([
      'providers.wrapped',
      expect.stringMatching(/^providers\.wrapped\.unopened-\d+$/),
    ])
  })

  it('is not used if it does not answer for a minute', async () => {
    await open().store.store('the keys')
    const silent = safeStorage({ decryptStringAsync: () => new Promise(() => {}) })
    const { store, lines, clock } = open({ safeStorage: silent })
    const unlocking = store.unlock()
    await eventually(() => clock.pendingTimers()).toBe(1)
    clock.pass(unlockLimitMs)
    expect(await unlocking).toEqual({ stored: null, use: 'os' })
    expect(lines.join()).toContain('the prompt was not answered')
  })

  it('ignores a damaged file', async () => {
    await open().store.store('the keys')
    await writeFile(file(), '{"wrapped":')
    const { store, lines } = open()
    expect(await store.unlock()).toEqual({ stored: null, use: 'os' })
    expect(lines.join()).toContain('damaged')
  })

  it('encrypts again if the system has a newer key', async () => {
    await open().store.store('the keys')
    let wrapped = 0
    const turning = safeStorage()
    const { store } = open({
      safeStorage: {
        ...turning,
        encryptStringAsync: (text) => {
          wrapped += 1
          return turning.encryptStringAsync(text)
        },
        decryptStringAsync: async (bytes) => ({
          ...(await turning.decryptStringAsync(bytes)),
          shouldReEncrypt: true,
        }),
      },
    })
    expect(await store.unlock()).toEqual({ stored: 'the keys', use: 'os' })
    expect(wrapped).toBe(1)
  })
})

describe('the desktop app', () => {
  beforeEach(() => copyStartedFolder(folder))
  const key = 'sk-canary-of-the-desktop-4711'
  const keyFiles = async () =>
    (await readdir(join(folder, 'keys'))).filter((name) => name.startsWith('providers'))
  /** Runs the app on the folder, calls `work` with its service, and quits. */
  async function withDesktop<T>(options: DesktopOptions, work: (url: string) => Promise<T>): Promise<T> {
    const desktop = await startDesktop({ dataDir: folder, ...options })
    try {
      await desktop.running()
      const result = await work(desktop.url())
      expect(await desktop.logged()).not.toContain(key)
      await desktop.quit()
      return result
    } finally {
      await desktop.close()
    }
  }
  const headers = {
    authorization: 'Bearer test-service-token-0123456789abcdef',
    'content-type': 'application/json',
  }
  const setKey = (url: string, name: string) =>
    fetch(`${url}/api/providers/${name}`, { method: 'PUT', headers, body: JSON.stringify({ api_key: key }) })
  const has = async (url: string, name = 'openai') => {
    const { data } = await (await fetch(`${url}/api/providers/${name}`, { headers })).json()
    return { has_key: data.has_key, key_problem: data.key_problem }
  }
  const readable = { has_key: true, key_problem: null }

  it('stores the key with the system; without the app, the service reports why keys cannot be read', async () => {
    await withDesktop({ keyStore: 'open' }, async (url) => {
      expect((await setKey(url, 'openai')).status).toBe(200)
      expect(await has(url)).toEqual(readable)
    })
    expect(await keyFiles()).toEqual(['providers.wrapped'])
    await withDesktop({ keyStore: 'open' }, async (url) => expect(await has(url)).toEqual(readable))

    const alone = await startTestServer({ dataDir: folder })
    try {
      const shut = await has(alone.url)
      expect(shut.has_key).toBe(false)
      expect(shut.key_problem).toContain('Start the desktop app to use it, or set the key again here')
      const { body } = await alone.call('GET /api/playground/providers')
      expect(body.data[1]).toMatchObject({
        configured: false,
        reason: expect.stringContaining('cannot be read'),
      })
      await setKey(alone.url, 'claude')
      expect(await has(alone.url, 'claude')).toEqual(readable)
    } finally {
      await alone.close()
    }
    expect(await keyFiles()).toEqual(['providers.key', 'providers.wrapped'])

    // Both keys are stored only by the system from now on.
    await withDesktop({ keyStore: 'open' }, async (url) => {
      expect([await has(url), await has(url, 'claude')]).toEqual([readable, readable])
      await eventually(keyFiles).toEqual(['providers.wrapped'])
    })

    // Returned on request: the service no longer needs the desktop app.
    await withDesktop({ keyStore: 'open', env: { KEY_STORE: 'file' } }, async (url) => {
      expect(await has(url)).toEqual(readable)
      await eventually(keyFiles).toEqual(['providers.key'])
    })
    const free = await startTestServer({ dataDir: folder })
    try {
      expect([await has(free.url), await has(free.url, 'claude')]).toEqual([readable, readable])
    } finally {
      await free.close()
    }
  })

  it('uses the file where the system has no key store', async () => {
    await withDesktop({ keyStore: 'none' }, async (url) => {
      expect((await setKey(url, 'openai')).status).toBe(200)
    })
    expect(await keyFiles()).toEqual(['providers.key'])
    await withDesktop({ keyStore: 'none' }, async (url) => expect(await has(url)).toEqual(readable))
    await withDesktop({ keyStore: 'open' }, async (url) => {
      expect(await has(url)).toEqual(readable)
      await eventually(keyFiles).toEqual(['providers.wrapped'])
    })
    // The system refuses: the service starts anyway.
    await withDesktop({ keyStore: 'shut' }, async (url) => {
      const shut = await has(url)
      expect(shut.has_key).toBe(false)
      expect(shut.key_problem).toContain('can no longer decrypt it')
    })
    await withDesktop({ keyStore: 'open' }, async (url) => expect(await has(url)).toEqual(readable))
  })
})
