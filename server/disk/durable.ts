/** File changes that survive a crash once the call has returned. */
import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { closeSync, fsyncSync, openSync, renameSync, writeSync } from './fs.ts'
import { open } from './promises.ts'

/** Makes file names in a folder durable. Windows does not support this; NTFS journals names itself. */
export function syncFolder(folder: string): void {
  if (process.platform === 'win32') return
  const handle = openSync(folder, 'r')
  try {
    fsyncSync(handle)
  } finally {
    closeSync(handle)
  }
}

/** Makes file names in a folder durable, asynchronously. */
export async function syncFolderAsync(folder: string): Promise<void> {
  if (process.platform === 'win32') return
  const handle = await open(folder, 'r')
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}

const processSuffix = randomBytes(4).toString('hex')

/**
 * Returns a temporary name beside `file` that is unique to this process, so that a former owner cannot rename
 * a file of the current one.
 */
export const temporaryOf = (file: string): string => `${file}.${processSuffix}.tmp`

/** Writes a small file atomically: after a crash it has the old or the new content. */
export function writeFileDurably(folder: string, name: string, text: string): void {
  const temporary = temporaryOf(join(folder, name))
  const handle = openSync(temporary, 'w', 0o600)
  try {
    writeSync(handle, text)
    fsyncSync(handle)
  } finally {
    closeSync(handle)
  }
  renameSync(temporary, join(folder, name))
  syncFolder(folder)
}
