import { dirname } from 'node:path'
import { mkdir, open } from '../../disk/promises.ts'

/**
 * Creates a folder for this user only and syncs its parent: without that, a crash can lose the folder and its
 * files.
 */
export async function makeFolder(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o700 })
  // Windows cannot sync a folder; NTFS journals names itself.
  if (process.platform === 'win32') return
  const parent = await open(dirname(folder), 'r')
  try {
    await parent.sync()
  } finally {
    await parent.close()
  }
}
