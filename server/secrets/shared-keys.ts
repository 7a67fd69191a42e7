import { createHmac } from 'node:crypto'
import { join } from 'node:path'
import { KeyFileError, keyLine, newKey, parseKeyLines, readKeyFile, writeKeyFile } from '../auth/key-file.ts'
import { existsSync, readdirSync } from '../disk/fs.ts'
import { messageOf } from '../lib/text/message-of.ts'

/** The keys that every instance of a service needs, by the name of their file. */
const required: readonly string[] = ['jwt.key', 'audit.key', 'providers.key', 'end-users.key']
/** Earlier audit keys, which verify the entries that they signed. */
const optional = /^audit-[\w-]+\.key$/

/** A place of keys: a folder, or the database. */
export type KeyPlace = {
  /** The place, for messages: "the keys in <description>". */
  readonly description: string
  list(): Promise<readonly string[]>
  /** Returns the lines of a key file; null if there is none. */
  read(name: string): Promise<string | null>
  write(name: string, lines: string): Promise<void>
}

export function folderOfKeys(folder: string): KeyPlace {
  return {
    description: folder,
    async list() {
      try {
        return existsSync(folder) ? readdirSync(folder) : []
      } catch (error) {
        throw new KeyFileError(`KEYS_DIR cannot be read: ${messageOf(error)}`, { cause: error })
      }
    },
    async read(name) {
      const rules = { consequence: 'the instances of the service no longer have the same keys.' }
      const found = await readKeyFile(join(folder, name), { ...rules, isRing: true, acceptsRaw: true })
      return found === null ? null : found.keys.map(keyLine).join('')
    },
    async write(name, lines) {
      try {
        await writeKeyFile(join(folder, name), parseKeyLines(lines) ?? [])
      } catch (error) {
        const reason = messageOf(error)
        throw new KeyFileError(
          `The key file ${name} is missing in ${folder} and cannot be written: ${reason}`,
          {
            cause: error,
          },
        )
      }
    },
  }
}

/** The lines of key files by name; null for a key that does not exist. */
export type Keys = ReadonlyMap<string, string | null>

type Rules = {
  readonly mayCreate: (name: string) => boolean
  /** Throws if the keys may not be used. Called before any of them is written. */
  readonly check: (keys: Keys) => Promise<void>
}

/**
 * Makes the keys of this instance the same as the shared ones. A key that exists in one place is copied to the other; one
 * that exists nowhere is created if it may be. Throws a `KeyFileError` if both places have different keys.
 */
export async function shareKeys(own: KeyPlace, shared: KeyPlace | null, rules: Rules): Promise<void> {
  // The shared place first: another instance must never find a key in use that is not there.
  const places = shared === null ? [own] : [shared, own]
  const listed = (await Promise.all(places.map((place) => place.list()))).flat()
  const keys = new Map<string, string | null>()
  const missing: { readonly place: KeyPlace; readonly name: string; readonly lines: string }[] = []
  for (const name of new Set([...required, ...listed.filter((name) => optional.test(name))])) {
    const found = await Promise.all(places.map((place) => place.read(name)))
    const existing = new Set(found.filter((lines) => lines !== null))
    if (existing.size > 1) throw disagree(name, own, shared)
    const [lines = rules.mayCreate(name) ? keyLine(newKey()) : null] = existing
    keys.set(name, lines)
    if (lines === null) continue
    const without = places.filter((_, at) => found[at] === null)
    missing.push(...without.map((place) => ({ place, name, lines })))
  }
  await rules.check(keys)
  for (const { place, name, lines } of missing) await place.write(name, lines)
}

function disagree(name: string, own: KeyPlace, shared: KeyPlace | null): KeyFileError {
  return new KeyFileError(
    `The key ${name} in ${own.description} differs from the one in ${shared?.description ?? ''}, which the other instances use. Move the file in ${own.description} away to use the shared one. If the shared one is wrong, correct it for every instance.`,
  )
}

/** Returns a text that identifies the current key of a file without revealing it. */
export function fingerprintOf(lines: string): string {
  const [key = Buffer.alloc(0)] = parseKeyLines(lines) ?? []
  return createHmac('sha256', key).update('promptdeck shared key').digest('hex').slice(0, 16)
}
