import { dirname } from 'node:path'
import { open, rename, rm } from '../../disk/promises.ts'

/**
 * Replaces a file atomically: temporary file, fsync, rename, fsync of the folder. Only this user can read it.
 */
export async function replaceFile(file: string, content: string | Uint8Array): Promise<void> {
  const temporary = `${file}.tmp`
  const handle = await open(temporary, 'w', 0o600)
  try {
    await handle.writeFile(content)
    await handle.sync()
  } catch (error) {
    await handle.close()
    await rm(temporary, { force: true })
    throw error
  }
  await handle.close()
  await rename(temporary, file)
  // Windows cannot sync a folder and does not need it.
  if (process.platform === 'win32') return
  const folder = await open(dirname(file), 'r')
  try {
    await folder.sync()
  } finally {
    await folder.close()
  }
}
