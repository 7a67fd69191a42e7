import { createSecretKey, hash, type KeyObject } from 'node:crypto'
import { join } from 'node:path'
import {
  KeyFileError,
  keyLine,
  newKey,
  parseKeyLines,
  prepareKeyFolder,
  readKeyFile,
  writeKeyFile,
} from '../auth/key-file.ts'
import { rm, stat } from '../disk/promises.ts'
import type { OsKeyStore } from './os-key-store.ts'

/** The part of pino that is used here. */
type Logger = { warn(details: object, message: string): void; error(details: object, message: string): void }

export type RingKey = { readonly id: string; readonly key: KeyObject }

export type KeyRing = {
  find(id: string): KeyObject | null
  /** Returns the key for new secrets. It is created on first use, and stored before it is returned. */
  current(): Promise<RingKey>
  /** Message for the user: the reason why a secret whose key is missing cannot be decrypted. */
  readonly lostKeyReason: string
  /** Resolves when the keys have been moved to the configured place: the file or the OS key store. */
  settled(): Promise<void>
}

export type KeyRingDeps = {
  /** `<data folder>/keys`. */
  readonly folder: string
  /** Null: the service runs without the desktop app and uses the file. */
  readonly osStore: OsKeyStore | null
  readonly logger: Logger
}

const idOf = (key: Buffer): string => hash('sha256', key, 'hex').slice(0, 8)
const textOf = (keys: readonly Buffer[]): string => keys.map(keyLine).join('')

const consequence = 'the API keys of the model providers must be set again.'

/** Parses the keys in the OS key store. Throws a `KeyFileError` if they are damaged. */
function parseStored(osStore: OsKeyStore | null, folder: string): Buffer[] {
  if (!osStore?.stored) return []
  const keys = parseKeyLines(osStore.stored)
  if (keys === null) {
    const file = join(folder, 'providers.wrapped')
    throw new KeyFileError(
      `The key file ${file} is damaged: the key store of this computer decrypts it, but it does not contain a key. Restore a copy of it and start again. Without a copy, move the file away and start again: ${consequence}`,
    )
  }
  return keys
}

const exists = (file: string): Promise<boolean> =>
  stat(file).then(
    () => true,
    () => false,
  )

function lostKeyReasonOf(osStore: OsKeyStore | null, isWrapped: boolean): string {
  if (isWrapped && osStore === null) {
    return 'it can only be decrypted with the key store of this computer, which the desktop app uses. Start the desktop app to use it, or set the key again here'
  }
  if (isWrapped && osStore?.stored === null) {
    return 'the key store of this computer can no longer decrypt it. Set the key again'
  }
  return 'keys/providers.key is missing, or is not the file with which it was encrypted. Set the key again, or restore the file'
}

/**
 * Opens the keys with which provider keys are encrypted. They are in a file that only this user can read,
 * outside the database and its backups. In the desktop app they are in the OS key store, and the file is
 * deleted.
 */
export async function openKeyRing(deps: KeyRingDeps): Promise<KeyRing> {
  const { folder, osStore, logger } = deps
  const file = join(folder, 'providers.key')
  const usesFile = osStore === null || osStore.use === 'file'
  await prepareKeyFolder(folder)
  const inFile = (await readKeyFile(file, { consequence, isRing: true }))?.keys ?? []
  const stored = parseStored(osStore, folder)
  const isWrapped = await exists(join(folder, 'providers.wrapped'))

  const keys: Buffer[] = []
  const objects = new Map<string, KeyObject>()
  const add = (key: Buffer) => {
    const id = idOf(key)
    if (objects.has(id)) return
    keys.push(key)
    objects.set(id, createSecretKey(key))
  }
  for (const key of [...stored, ...inFile]) add(key)

  const storeInFile = () => writeKeyFile(file, keys)
  /** Stores the keys in the OS key store, or in the file if that fails: a key in use must never be lost. */
  const store = async () => {
    if (usesFile) return storeInFile()
    try {
      await osStore.store(textOf(keys))
    } catch (err) {
      logger.warn(
        { err },
        'the key store of this computer did not accept the key; it remains in keys/providers.key',
      )
      return storeInFile()
    }
    await rm(file, { force: true })
  }
  const move = async () => {
    if (keys.length === 0 || osStore === null) return
    if (!usesFile) return inFile.length > 0 ? store() : undefined
    if (stored.length === 0) return
    await storeInFile()
    await osStore.store(null)
  }
  // Not awaited, because the operating system may ask the user first.
  let lastChange: Promise<void> = move().catch((err: unknown) =>
    logger.error({ err }, 'the keys of the model providers could not be moved'),
  )

  const create = async (): Promise<void> => {
    if (keys.length > 0) return
    const key = newKey()
    keys.push(key)
    try {
      await store()
    } catch (error) {
      keys.pop()
      throw error
    }
    objects.set(idOf(key), createSecretKey(key))
  }

  return {
    find: (id) => objects.get(id) ?? null,
    async current() {
      const created = lastChange.then(create)
      lastChange = created.catch(() => {})
      await created
      const [key] = keys
      if (key === undefined) throw new Error('there is no key')
      return { id: idOf(key), key: objects.get(idOf(key)) ?? createSecretKey(key) }
    },
    lostKeyReason: lostKeyReasonOf(osStore, isWrapped),
    settled: () => lastChange,
  }
}
