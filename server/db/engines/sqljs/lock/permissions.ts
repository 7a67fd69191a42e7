import { lstatSync, statSync } from '../../../../disk/fs.ts'
import { StoreError } from '../../../errors.ts'

/** Throws if another user owns the folder or may write to it, because that user could replace its content. */
export function assertPrivate(folder: string): void {
  const uid = process.geteuid?.()
  // On Windows, the access control list of the profile folder applies.
  if (uid === undefined) return
  const stat = statSync(folder)
  if (stat.uid !== uid) {
    const message = `The data folder ${folder} belongs to user ${stat.uid}, and this process runs as user ${uid}.`
    const advice = `Start Promptdeck as that user, or change the owner: chown -R ${uid} '${folder}'`
    throw new StoreError('unreadable', `${message} ${advice}`)
  }
  if ((stat.mode & 0o022) !== 0) {
    const mode = (stat.mode & 0o7777).toString(8).padStart(4, '0')
    const message = `Other users may write to the data folder ${folder} (mode ${mode}).`
    throw new StoreError('unreadable', `${message} Remove that permission: chmod 700 '${folder}'`)
  }
}

/** Error codes of paths that cannot lead to an owner's socket. */
const unusable = new Set(['ENAMETOOLONG', 'ELOOP', 'EACCES'])

/**
 * Returns `own` for a socket that only this user can have created, `missing` if nothing exists at the path.
 */
export function socketAt(path: string): 'own' | 'foreign' | 'missing' {
  if (process.platform === 'win32') return 'own'
  let stat: ReturnType<typeof lstatSync>
  try {
    stat = lstatSync(path, { throwIfNoEntry: false })
  } catch (error) {
    if (unusable.has((error as NodeJS.ErrnoException).code ?? '')) return 'foreign'
    throw error
  }
  if (stat === undefined) return 'missing'
  return stat.isSocket() && stat.uid === process.geteuid?.() ? 'own' : 'foreign'
}

/** Returns true for a folder that no other user can enter. */
export function isPrivate(folder: string): boolean {
  const uid = process.geteuid?.()
  if (uid === undefined) return true
  const stat = lstatSync(folder, { throwIfNoEntry: false })
  return stat?.isDirectory() === true && stat.uid === uid && (stat.mode & 0o077) === 0
}
