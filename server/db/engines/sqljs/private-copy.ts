import { join } from 'node:path'
import { constants, existsSync, readdirSync, readFileSync, statSync } from '../../../disk/fs.ts'
import { copyFile, mkdir } from '../../../disk/promises.ts'
import { isMissing } from '../../../lib/files/is-missing.ts'
import { StoreError } from '../../errors.ts'
import { fileNames, readFolder } from './format/folder.ts'
import { refuseOwned } from './lock/lock.ts'
import { recordName } from './record/record-file.ts'

/**
 * Copies the files of a store and its record from a data folder to a new one, where the store can be opened and
 * migrated while the original stays as it is. Throws a `StoreError` if a process uses the store, if another user owns it
 * or if there is none. The returned function throws one if a process has used the original since.
 */
export async function copyStoreFiles(dataDir: string, into: string): Promise<() => void> {
  const folder = join(dataDir, 'store')
  const file = join(dataDir, recordName)
  const { snapshots, segments } = contentOf(dataDir, folder)
  // The record changes with each start. A segment changes with each write, also of a process that has no lock.
  const state = () => JSON.stringify([existsSync(file) && readFileSync(file, 'utf8'), ...filesOf(folder)])
  const before = state()
  await refuseOwned(folder)
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
  await refuseOwned(folder)
  const requireUnused = (): void => {
    if (state() === before) return
    const message = `A process used ${dataDir} during the copy. Stop it and begin again; "db copy" needs an empty target.`
    throw new StoreError('incomplete', message)
  }
  requireUnused()
  return requireUnused
}

const filesOf = (folder: string) =>
  readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ name }) => [name, statSync(join(folder, name)).mtimeMs])

function contentOf(dataDir: string, folder: string) {
  try {
    const content = readFolder(folder)
    if (content.snapshots.length > 0) return content
  } catch (error) {
    if (!isMissing(error)) throw error
  }
  throw new StoreError('not_a_store', `No Promptdeck data found in ${dataDir}.`)
}

async function copyIfExists(from: string, to: string): Promise<void> {
  try {
    // Shares the blocks of the file where the file system can.
    await copyFile(from, to, constants.COPYFILE_FICLONE)
  } catch (error) {
    if (!isMissing(error)) throw error
  }
}
