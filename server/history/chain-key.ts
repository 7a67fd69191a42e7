import { createSecretKey, type KeyObject, randomBytes } from 'node:crypto'
import { chmod, mkdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { replaceFile } from '../lib/replace-file.ts'

const keyBytes = 32

export const chainKeyFile = (dataDir: string): string => join(dataDir, 'keys', 'audit.key')

export type ChainKey = {
  readonly key: KeyObject
  /** True when no key was there: the first start, or somebody lost it. */
  readonly isNew: boolean
}

/** The key of the audit chain; null when the file is not there. Throws when the file is no key. */
export async function readChainKey(dataDir: string): Promise<KeyObject | null> {
  const file = chainKeyFile(dataDir)
  const bytes = await readFile(file).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return null
    throw new Error(`The audit key ${file} cannot be read: ${error.message}`, { cause: error })
  })
  if (bytes === null) return null
  if (bytes.length !== keyBytes) {
    throw new Error(
      `The audit key ${file} is damaged: it must be ${keyBytes} bytes. Put back a copy of it. Without one, move the file away: a new key is made at the next start, and entries up to then can no longer be verified.`,
    )
  }
  return createSecretKey(bytes)
}

/** Reads the key, or makes it: readable by this user only, on disk before it seals anything. */
export async function loadChainKey(dataDir: string): Promise<ChainKey> {
  const known = await readChainKey(dataDir)
  if (known !== null) {
    await chmod(chainKeyFile(dataDir), 0o600)
    return { key: known, isNew: false }
  }
  await mkdir(join(dataDir, 'keys'), { recursive: true, mode: 0o700 })
  const bytes = randomBytes(keyBytes)
  await replaceFile(chainKeyFile(dataDir), bytes)
  return { key: createSecretKey(bytes), isNew: true }
}
