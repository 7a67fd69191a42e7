import { join } from 'node:path'
import { StoreError } from '../../db/errors.ts'
import { digestFile } from '../../disk/digest.ts'
import { syncFolderAsync } from '../../disk/durable.ts'
import { constants, existsSync, readdirSync } from '../../disk/fs.ts'
import { copyFile, open, rename } from '../../disk/promises.ts'
import { headFile } from '../../history/chain/head-file.ts'
import { makeFolder } from '../../lib/files/make-folder.ts'

/** Folders beside the store, with the files in them that cannot be made again. The index of payloads can. */
const folders: readonly (readonly [name: string, files: RegExp])[] = [
  ['keys', /^[^.].*(?<!\.tmp)$/],
  ['payloads', /^\d{4}-\d{2}-\d{2}\.log$/],
]

/**
 * Copies the keys and the captured inputs and outputs, except for the files `without`. Files that are the same already are
 * not copied again.
 */
export async function copyFiles(
  from: string,
  to: string,
  without: ReadonlySet<string>,
  signal: AbortSignal,
): Promise<number> {
  let count = 0
  for (const [name, pattern] of folders) {
    const [source, target] = [join(from, name), join(to, name)]
    if (!existsSync(source)) continue
    await makeFolder(to)
    await makeFolder(target)
    for (const file of filesIn(source, pattern)) {
      if (without.has(file)) continue
      signal.throwIfAborted()
      await copyOne(join(source, file), join(target, file))
      count += 1
    }
    await syncFolderAsync(target)
  }
  return count
}

const filesIn = (folder: string, pattern: RegExp): string[] =>
  readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isFile() && pattern.test(entry.name))
    .map(({ name }) => name)

/** Copies the signed head of the audit log. Once it is there, a store without its entries is refused. */
export async function copyHead(from: string, to: string): Promise<void> {
  if (!existsSync(headFile(from))) return
  await copyOne(headFile(from), headFile(to))
  await syncFolderAsync(to)
}

async function copyOne(from: string, to: string): Promise<void> {
  const expected = digestFile(from).sha256
  if (existsSync(to)) {
    if (digestFile(to).sha256 === expected) return
    throw new StoreError('not_a_store', `${to} exists and differs from ${from}. Choose a new folder.`)
  }
  const temporary = `${to}.tmp`
  await copyFile(from, temporary, constants.COPYFILE_FICLONE)
  const handle = await open(temporary, 'r+')
  try {
    await handle.chmod(0o600)
    await handle.sync()
  } finally {
    await handle.close()
  }
  await rename(temporary, to)
  if (digestFile(to).sha256 !== expected)
    throw new StoreError('damaged', `${to} differs from ${from}, which changed while it was copied.`)
}
