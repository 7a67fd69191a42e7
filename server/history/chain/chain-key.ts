import { createSecretKey, type KeyObject } from 'node:crypto'
import { join } from 'node:path'
import { newKey, readKeyFile, writeKeyFile } from '../../auth/key-file.ts'
import { readdir } from '../../disk/promises.ts'
import { keyIdOf } from './chain.ts'

const keysFolder = (dataDir: string): string => join(dataDir, 'keys')
export const chainKeyFile = (dataDir: string): string => join(keysFolder(dataDir), 'audit.key')

const consequence =
  'the audit log records it. Earlier entries cannot be verified until the old key is restored.'

/** The keys that verify the audit log. */
export type ChainKeys = {
  /** Null if `keys/audit.key` is missing. */
  readonly current: KeyObject | null
  /** Keys in files `keys/audit-<any name>.key`, which signed a part of the log. */
  readonly others: readonly KeyObject[]
}

/** The keys of a service. Without a key file the current key is new, and `save` writes it. */
export type ServiceChainKeys = ChainKeys & {
  readonly current: KeyObject
  /** True if the file has 32 bytes without a checksum, or does not exist. */
  readonly isUnsaved: boolean
  readonly isNew: boolean
  /** True if the key is new, or if a copy shows that it replaced another key earlier. */
  readonly isReplacement: boolean
  /** Writes `keys/audit.key` with its checksum. */
  save(): Promise<void>
  /**
   * Writes a copy of the key. If somebody restores the old key later, entries signed meanwhile can still be
   * verified.
   */
  saveCopy(): Promise<void>
}

/** Returns all known keys, the current one first. */
export const knownKeys = ({ current, others }: ChainKeys): readonly KeyObject[] =>
  current === null ? others : [current, ...others]

async function readOthers(dataDir: string): Promise<KeyObject[]> {
  const names = await readdir(keysFolder(dataDir)).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return []
    throw error
  })
  const keys: KeyObject[] = []
  for (const name of names.filter((fileName) => /^audit-.+\.key$/.test(fileName)).toSorted()) {
    const file = join(keysFolder(dataDir), name)
    const [key] = (await readKeyFile(file, { consequence, acceptsRaw: true }))?.keys ?? []
    if (key !== undefined) keys.push(createSecretKey(key))
  }
  return keys
}

const readCurrent = (dataDir: string) => readKeyFile(chainKeyFile(dataDir), { consequence, acceptsRaw: true })

/** Reads the keys without changing anything. Throws a `KeyFileError` if a file is damaged. */
export async function readChainKeys(dataDir: string): Promise<ChainKeys> {
  const [current] = (await readCurrent(dataDir))?.keys ?? []
  return {
    current: current === undefined ? null : createSecretKey(current),
    others: await readOthers(dataDir),
  }
}

/** Reads the keys of a service. If the current one is missing, creates it without writing it. */
export async function openChainKeys(dataDir: string): Promise<ServiceChainKeys> {
  const found = await readCurrent(dataDir)
  const bytes = found?.keys[0] ?? newKey()
  const current = createSecretKey(bytes)
  const others = await readOthers(dataDir)
  return {
    current,
    others,
    isUnsaved: found === null || found.isRaw,
    isNew: found === null,
    isReplacement: found === null || others.some((other) => other.equals(current)),
    save: () => writeKeyFile(chainKeyFile(dataDir), [bytes]),
    saveCopy: () => writeKeyFile(join(keysFolder(dataDir), `audit-${keyIdOf(current)}.key`), [bytes]),
  }
}
