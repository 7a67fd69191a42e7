import { createHmac, createSecretKey, hash, type KeyObject, randomBytes } from 'node:crypto'
import { dirname, join } from 'node:path'
import { chmod, readdir, readFile, rm, stat } from '../disk/promises.ts'
import { makeFolder } from '../lib/files/make-folder.ts'
import { withRemedy } from '../lib/files/remedy.ts'
import { replaceFile } from '../lib/files/replace-file.ts'
import { messageOf } from '../lib/text/message-of.ts'

/**
 * A key file that cannot be read and must not be replaced silently. The message names the file and what to
 * do.
 */
export class KeyFileError extends Error {}

const keyBytes = 32
const checksum = (key: Buffer) => hash('sha256', key, 'hex').slice(0, 16)

export const newKey = (): Buffer => randomBytes(keyBytes)

/** Formats `<64 hex digits of the key> <16 hex digits of its SHA-256>` and a line break. */
export const keyLine = (key: Buffer): string => `${key.toString('hex')} ${checksum(key)}\n`

/** Parses one line of a key file. Returns null if the line is incomplete or its checksum is wrong. */
export function parseKeyLine(line: string): Buffer | null {
  const [, hex = '', sum] = /^([0-9a-f]{64}) ([0-9a-f]{16})\n$/.exec(line) ?? []
  const key = Buffer.from(hex, 'hex')
  return key.length === keyBytes && sum === checksum(key) ? key : null
}

/** Parses one key per line, the current key first. Returns null if any line is invalid. */
export function parseKeyLines(text: string): Buffer[] | null {
  const keys = text.split(/(?<=\n)/).map(parseKeyLine)
  return keys.length > 0 && keys.every((key) => key !== null) ? keys : null
}

/**
 * Returns a key of 32 bytes without a checksum, the form of `audit.key` in versions up to 0.1. 32 hex digits
 * are not such a key but the start of a truncated line: null.
 */
function parseRaw(bytes: Buffer): Buffer | null {
  return bytes.length === keyBytes && !/^[0-9a-f]+$/.test(bytes.toString('latin1')) ? bytes : null
}

export type KeyFile = {
  /** All keys, the current one first. */
  readonly keys: readonly Buffer[]
  /** True if the file holds the bytes of one key without a checksum. */
  readonly isRaw: boolean
}

export type KeyFileRules = {
  /** Consequence of replacing the key, as the end of a sentence in the error message. */
  readonly consequence: string
  /** True if the file may hold several keys, one per line. */
  readonly isRing?: boolean
  readonly acceptsRaw?: boolean
}

const damaged = (file: string, consequence: string) =>
  new KeyFileError(
    `The key file ${file} is damaged. Restore a copy of it and start again. Without a copy, move the file away and start again: a new key is created, and ${consequence}`,
  )

async function readBytes(file: string): Promise<Buffer | null> {
  try {
    return await readFile(file)
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined
    if (code === 'ENOENT') return null
    const reason = messageOf(error)
    const message = `The key file ${file} cannot be read: ${reason}`
    if (code === 'EISDIR') {
      const remedy = 'Move it away, restore a copy of the key and start again.'
      throw new KeyFileError(`${message}. ${remedy}`, { cause: error })
    }
    const defaultRemedy = 'Start again. If the error remains, restore a copy of the key.'
    throw new KeyFileError(withRemedy(message, error, defaultRemedy), { cause: error })
  }
}

/**
 * Reads a key file and removes access for other users. Returns null if the file does not exist. Throws a
 * `KeyFileError` if it is damaged, and does not change it.
 */
export async function readKeyFile(file: string, rules: KeyFileRules): Promise<KeyFile | null> {
  const bytes = await readBytes(file)
  if (bytes === null) return null
  const lines = parseKeyLines(bytes.toString('latin1'))
  const raw = rules.acceptsRaw === true ? parseRaw(bytes) : null
  const keys = lines ?? (raw === null ? null : [raw])
  if (keys === null || (keys.length > 1 && rules.isRing !== true)) throw damaged(file, rules.consequence)
  if (process.platform !== 'win32' && ((await stat(file)).mode & 0o077) !== 0) await chmod(file, 0o600)
  return { keys, isRaw: lines === null }
}

/** Writes keys with their checksums, readable by the owner alone. */
export async function writeKeyFile(file: string, keys: readonly Buffer[]): Promise<void> {
  await makeFolder(dirname(file))
  await replaceFile(file, keys.map(keyLine).join(''))
}

/** Creates the folder of keys. Removes the unfinished files of killed processes, ignoring failures. */
export async function prepareKeyFolder(folder: string): Promise<void> {
  await makeFolder(folder)
  for (const name of await readdir(folder).catch(() => []))
    if (/\.(?:key|pem)\.tmp$/.test(name)) await rm(join(folder, name), { force: true }).catch(() => {})
}

/** Returns the key stored in the file. Creates file and key if there is none. */
export async function loadKey(file: string, consequence: string): Promise<KeyObject> {
  const found = await readKeyFile(file, { consequence })
  const key = found?.keys[0] ?? newKey()
  if (found === null) await writeKeyFile(file, [key])
  return createSecretKey(key)
}

/** Returns a key for another purpose, from which the given key cannot be computed. */
export const deriveKey = (key: KeyObject, purpose: string): KeyObject =>
  createSecretKey(createHmac('sha256', key).update(purpose).digest())
