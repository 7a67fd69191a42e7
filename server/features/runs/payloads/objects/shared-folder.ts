import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { syncFolderAsync } from '../../../../disk/durable.ts'
import { mkdir, open, readdir, rm } from '../../../../disk/promises.ts'
import { isMissing } from '../../../../lib/files/is-missing.ts'
import { messageOf } from '../../../../lib/text/message-of.ts'
import { dayName, dayOfName } from './day-name.ts'
import type { ObjectStore } from './object-store.ts'

/** Opens a shared folder: `file:///<folder>`, with a folder per day and a file per object. */
export async function openSharedFolder(url: string): Promise<ObjectStore> {
  const root = fileURLToPath(url)
  await mkdir(root, { recursive: true, mode: 0o700 }).catch((cause: unknown) => {
    throw new Error(`The folder ${root} of PAYLOADS_URL cannot be used: ${messageOf(cause)}`, { cause })
  })
  const folderOf = (day: number): string => join(root, dayName(day))
  return {
    async put(day, name, bytes) {
      const folder = folderOf(day)
      const created = await mkdir(folder, { recursive: true, mode: 0o700 })
      if (created !== undefined) await syncFolderAsync(root)
      // The name is new, so nobody reads the file before a row refers to it.
      const file = await open(join(folder, name), 'wx', 0o600)
      try {
        await file.writeFile(bytes)
        await file.datasync()
      } finally {
        await file.close()
      }
      await syncFolderAsync(folder)
    },
    read: (day, name, start, length) => readPart(join(folderOf(day), name), start, length),
    days: async () => (await readdir(root)).flatMap((name) => dayOfName(name) ?? []),
    removeDay: (day) => rm(folderOf(day), { recursive: true, force: true }),
    close: () => undefined,
  }
}

async function readPart(path: string, start: number, length: number): Promise<string | null> {
  try {
    const file = await open(path, 'r')
    try {
      const { buffer, bytesRead } = await file.read(Buffer.alloc(length), 0, length, start)
      return bytesRead === length ? buffer.toString('utf8') : null
    } finally {
      await file.close()
    }
  } catch (error) {
    if (isMissing(error)) return null
    throw error
  }
}
