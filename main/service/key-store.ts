import { existsSync, mkdirSync, renameSync, rmSync } from 'node:fs'
import { dirname } from 'node:path'
import type { Clock } from '../lib/clock.ts'
import { readJson, writeJson } from '../lib/json-file.ts'
import { createSeal, type SafeStoragePart } from '../lib/seal.ts'
import type { KeyStoreContent } from './service-messages.ts'

export type KeyStore = {
  /**
   * Returns the keys for the service at its start. Never fails: without the store, the service uses its own
   * file.
   */
  unlock(): Promise<KeyStoreContent>
  /** Encrypts and stores the service's text after verifying that it can be decrypted; null deletes it. */
  store(text: string | null): Promise<void>
}

export type KeyStoreOptions = {
  readonly safeStorage: SafeStoragePart
  /** The path of the encrypted text. */
  readonly file: string
  readonly platform: NodeJS.Platform
  /** `KEY_STORE=file`: move the keys back to the service's own file. */
  readonly keyStoreSetting: string | undefined
  readonly clock: Clock
  readonly writeLog: (line: string) => void
}

/** Milliseconds after which the service starts without the keys: the system may prompt for a password. */
export const unlockLimitMs = 60_000

const reasonOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))

/** Returns the encrypted text; null if the file contains none. */
function encryptedKeysIn(file: string): Buffer | null {
  const content = readJson(file)
  if (typeof content !== 'object' || content === null || !('wrapped' in content)) return null
  return typeof content.wrapped === 'string' ? Buffer.from(content.wrapped, 'base64') : null
}

/** Provides the operating system's key store to the service, whose process cannot access it. */
export function createKeyStore(options: KeyStoreOptions): KeyStore {
  const { safeStorage, file, platform, keyStoreSetting, clock, writeLog } = options
  let isDecrypted = false

  const { isAvailable, seal } = createSeal(safeStorage, platform)

  const store = async (text: string | null): Promise<void> => {
    if (text === null) {
      rmSync(file, { force: true })
      return
    }
    const wrapped = await seal(text)
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
    // A file that could not be decrypted may be readable later, so it is renamed, not replaced.
    if (!isDecrypted && existsSync(file)) renameSync(file, `${file}.unopened-${clock.now()}`)
    writeJson(file, { wrapped })
    isDecrypted = true
  }

  const readKeys = async (): Promise<KeyStoreContent> => {
    if (!(await isAvailable())) {
      writeLog('this computer has no key store; the keys of model providers stay in a file')
      return { stored: null, use: 'file' }
    }
    const use = keyStoreSetting === 'file' ? 'file' : 'os'
    if (!existsSync(file)) return { stored: null, use }
    const wrapped = encryptedKeysIn(file)
    if (wrapped === null) {
      writeLog(`${file} is damaged; the keys of model providers have to be set again`)
      return { stored: null, use }
    }
    const { result, shouldReEncrypt } = await safeStorage.decryptStringAsync(wrapped)
    isDecrypted = true
    if (shouldReEncrypt && use === 'os') {
      await store(result).catch((error: unknown) =>
        writeLog(`the keys could not be encrypted again: ${reasonOf(error)}`),
      )
    }
    return { stored: result, use }
  }

  return {
    store,
    unlock: () =>
      new Promise((resolve) => {
        const resolveWithoutKeys = (reason: string) => {
          writeLog(`the key store of this computer returned no keys: ${reason}`)
          resolve({ stored: null, use: 'os' })
        }
        const cancel = clock.after(unlockLimitMs, () => resolveWithoutKeys('the prompt was not answered'))
        readKeys()
          .then(resolve, (error: unknown) => resolveWithoutKeys(reasonOf(error)))
          .finally(cancel)
      }),
  }
}
