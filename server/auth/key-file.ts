import { createHash, createSecretKey, type KeyObject, randomBytes } from 'node:crypto'
import { chmod, mkdir, readFile, stat } from 'node:fs/promises'
import { dirname } from 'node:path'
import { replaceFile } from '../lib/replace-file.ts'

/** A key file that must not be replaced silently. The message says what a person can do. */
export class KeyFileError extends Error {}

const keyBytes = 32
const checksum = (key: Buffer) => createHash('sha256').update(key).digest('hex').slice(0, 16)

export const newKey = (): Buffer => randomBytes(keyBytes)

/** `<64 hex digits> <16 hex digits of the key's SHA-256>`, and a line break. */
export const keyLine = (key: Buffer): string => `${key.toString('hex')} ${checksum(key)}\n`

/** Null when the line is not whole. */
export function parseKeyLine(line: string): Buffer | null {
  const [, hex = '', sum] = /^([0-9a-f]{64}) ([0-9a-f]{16})\n$/.exec(line) ?? []
  const key = Buffer.from(hex, 'hex')
  return key.length === keyBytes && sum === checksum(key) ? key : null
}

async function create(file: string): Promise<Buffer> {
  const key = newKey()
  await replaceFile(file, keyLine(key))
  return key
}

const isMissing = (error: unknown) => error instanceof Error && 'code' in error && error.code === 'ENOENT'

/**
 * A secret key kept in its own file, readable by its owner alone, made on first use. A damaged file is an error and
 * stays as it is: `consequence` tells what is lost by deleting it.
 */
export async function loadKey(file: string, consequence: string): Promise<KeyObject> {
  await mkdir(dirname(file), { recursive: true, mode: 0o700 })
  const text = await readFile(file, 'utf8').catch((error: unknown) => {
    if (isMissing(error)) return null
    throw new KeyFileError(
      `The key ${file} cannot be read: ${error instanceof Error ? error.message : error}`,
    )
  })
  if (text === null) return createSecretKey(await create(file))
  const key = parseKeyLine(text)
  if (key === null) {
    throw new KeyFileError(
      `The key ${file} is damaged. Put back a copy of it, or delete it to have a new one made: ${consequence}`,
    )
  }
  if (process.platform !== 'win32' && ((await stat(file)).mode & 0o077) !== 0) await chmod(file, 0o600)
  return createSecretKey(key)
}
