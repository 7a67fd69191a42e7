import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  existsSync,
  lstatSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
} from '../../../../disk/fs.ts'
import { earlierAddressOf, removeUnused } from './earlier-address.ts'
import { isPrivate, socketAt } from './permissions.ts'
import { livenessOf, type ProcessIdentity } from './process-identity.ts'

/** Prefix of folders in the temporary directory that contain a copy of a store. */
export const COPY_FOLDER = 'promptdeck-copy-'
/** Name of the file that names the process of a copy. Written first and removed last. */
export const copyOwnerName = 'process.json'

/** Minimum age of a socket: one that was just created does not accept connections yet. */
const MIN_SOCKET_AGE_MS = 60_000
/** Minimum age of a copy that names no process: another process may be creating it. */
const MIN_COPY_AGE_MS = 60 * 60_000

/**
 * Removes what processes that were killed left in the temporary directory: copies of a store, and sockets, which the next
 * start on the same folder would remove, if that folder still exists.
 */
export async function removeAbandoned(): Promise<void> {
  removeAbandonedCopies()
  const names = readdirSync(tmpdir()).filter((name) => /^promptdeck-[0-9a-f]{16}\.sock$/.test(name))
  const sockets = names.map((name) => join(tmpdir(), name))
  const old = sockets.filter((path) => socketAt(path) === 'own' && ageOf(path) > MIN_SOCKET_AGE_MS)
  await Promise.all(old.map(removeUnused))
}

/** Removes the copies of processes that were killed. */
export function removeAbandonedCopies(): void {
  for (const name of readdirSync(tmpdir())) {
    const path = join(tmpdir(), name)
    if (name.startsWith(COPY_FOLDER) && isPrivate(path) && isAbandoned(path)) removeCopy(path)
  }
}

/** Removes a copy of a store and what belongs to it. */
export function removeCopy(path: string): void {
  const store = join(path, 'store')
  // The lock has a socket outside the folder.
  if (existsSync(store)) rmSync(earlierAddressOf(realpathSync(store)), { force: true })
  const names = existsSync(path) ? readdirSync(path) : []
  for (const name of names)
    if (name !== copyOwnerName) rmSync(join(path, name), { recursive: true, force: true })
  rmSync(path, { recursive: true, force: true })
}

const ageOf = (path: string): number =>
  Date.now() - (lstatSync(path, { throwIfNoEntry: false })?.mtimeMs ?? Date.now())

function isAbandoned(path: string): boolean {
  try {
    const text = readFileSync(join(path, copyOwnerName), 'utf8')
    const owner = JSON.parse(text) as { pid: number; process: ProcessIdentity | null }
    return livenessOf(owner.pid, owner.process) === 'dead'
  } catch {
    // Another process is creating or removing it, or was killed then.
    return ageOf(path) > MIN_COPY_AGE_MS
  }
}
