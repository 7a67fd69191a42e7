import { join } from 'node:path'
import { constants, existsSync, readFileSync } from '../../../disk/fs.ts'
import { copyFile, mkdir } from '../../../disk/promises.ts'
import { isMissing } from '../../../lib/files/is-missing.ts'
import { StoreError } from '../../errors.ts'
import { fileNames, readFolder } from './format/folder.ts'
import { findOwner } from './lock/owner.ts'
import { recordName } from './record/record-file.ts'

/**
 * Copies the files of a store and its record from a data folder to a new one, where the store can be opened and
 * migrated while the original stays as it is. Throws a `StoreError` if a process uses the store or there is none, and so
 * does the returned function if one has used it since.
 */
export async function copyStoreFiles(dataDir: string, into: string): Promise<() => void> {
  const folder = join(dataDir, 'store')
  const file = join(dataDir, recordName)
  // Changes with each start.
  const record = () => (existsSync(file) ? readFileSync(file, 'utf8') : null)
  const before = record()
  const { snapshots, segments } = contentOf(dataDir, folder)
  await refuseOwner(dataDir, folder)
  await mkdir(join(into, 'store'), { recursive: true, mode: 0o700 })
  const names = [
    ...snapshots.flatMap((generation) => [fileNames.snapshot(generation), fileNames.sidecar(generation)]),
    ...segments.map(fileNames.segment),
    fileNames.identity,
    fileNames.restore,
  ]
  for (const name of names) await copyIfExists(join(folder, name), join(into, 'store', name))
  await copyIfExists(file, join(into, recordName))
  // A process that started meanwhile may have changed the files between two copies.
  await refuseOwner(dataDir, folder)
  return () => {
    if (record() === before) return
    const message = `A process used ${dataDir} during the copy. Stop it, empty the target and copy again.`
    throw new StoreError('incomplete', message)
  }
}

function contentOf(dataDir: string, folder: string) {
  try {
    const content = readFolder(folder)
    if (content.snapshots.length > 0) return content
  } catch (error) {
    if (!isMissing(error)) throw error
  }
  throw new StoreError('not_a_store', `No Promptdeck data found in ${dataDir}.`)
}

async function refuseOwner(dataDir: string, folder: string): Promise<void> {
  const owner = await findOwner(folder)
  if (owner === null) return
  const message = `Process ${owner.pid} uses ${dataDir}. Stop it, so that nothing is written after the copy.`
  throw new StoreError('locked', message, { url: owner.url })
}

async function copyIfExists(from: string, to: string): Promise<void> {
  try {
    // Shares the blocks of the file where the file system can.
    await copyFile(from, to, constants.COPYFILE_FICLONE)
  } catch (error) {
    if (!isMissing(error)) throw error
  }
}
