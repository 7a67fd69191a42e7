import { dirname } from 'node:path'
import { mkdir, open } from '../disk/promises.ts'

/** Makes a folder for this user only, and its name durable: a file in it that is synced is lost with its folder. */
export async function makeFolder(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o700 })
  // Windows cannot sync a folder; NTFS journals names by itself.
  if (process.platform === 'win32') return
  const parent = await open(dirname(folder), 'r')
  try {
    await parent.sync()
  } finally {
    await parent.close()
  }
}
