import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { writeFileDurably } from '../../../../disk/durable.ts'
import { readFileSync } from '../../../../disk/fs.ts'
import { fileNames } from '../format/folder.ts'

/** Returns the id in store/store.json, or null if the file is missing or damaged. */
export function readStoreId(folder: string): string | null {
  try {
    const { id } = JSON.parse(readFileSync(join(folder, fileNames.identity), 'utf8')) as { id?: unknown }
    return typeof id === 'string' && /^[0-9a-f-]{36}$/.test(id) ? id : null
  } catch {
    // The newest segment identifies the store as well.
    return null
  }
}

/** Returns the id of the store in `folder`. Writes `known` or a new id if there is none. */
export function ensureStoreId(folder: string, known: string | null): string {
  const found = readStoreId(folder)
  if (found !== null) return found
  const id = known ?? randomUUID()
  writeFileDurably(folder, fileNames.identity, `${JSON.stringify({ id })}\n`)
  return id
}
