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
/** The file in a copy that names its process. Written first and removed last. */
export const COPY_OWNER_FILE = 'process.json'

/** Minimum age in milliseconds of what another process may be creating: a socket, and a copy without a name. */
const MIN_AGE_MS = { socket: 60_000, copy: 3_600_000 } as const

/** Removes what killed processes left in the temporary directory: copies of a store, and sockets of deleted folders. */
export async function removeAbandoned(): Promise<void> {
  removeAbandonedCopies()
  const paths = pathsOf((name) => /^promptdeck-[0-9a-f]{16}\.sock$/.test(name))
  const old = paths.filter((path) => socketAt(path) === 'own' && ageOf(path) > MIN_AGE_MS.socket)
  await Promise.all(old.map(removeUnused))
}

export function removeAbandonedCopies(): void {
  for (const path of pathsOf((name) => name.startsWith(COPY_FOLDER)))
    if (isPrivate(path) && isAbandoned(path)) removeCopy(path)
}

export function removeCopy(path: string): void {
  const store = join(path, 'store')
  // The lock has a socket outside the folder.
  if (existsSync(store)) rmSync(earlierAddressOf(realpathSync(store)), { force: true })
  for (const name of existsSync(path) ? readdirSync(path) : [])
    if (name !== COPY_OWNER_FILE) rmSync(join(path, name), { recursive: true, force: true })
  rmSync(path, { recursive: true, force: true })
}

const pathsOf = (isWanted: (name: string) => boolean): string[] =>
  readdirSync(tmpdir())
    .filter(isWanted)
    .map((name) => join(tmpdir(), name))

const ageOf = (path: string): number =>
  Date.now() - (lstatSync(path, { throwIfNoEntry: false })?.mtimeMs ?? Date.now())

function isAbandoned(path: string): boolean {
  try {
    const text = readFileSync(join(path, COPY_OWNER_FILE), 'utf8')
    const owner = JSON.parse(text) as { pid: number; process: ProcessIdentity | null }
    return livenessOf(owner.pid, owner.process) === 'dead'
  } catch {
    // Another process is creating or removing it, or was killed then.
    return ageOf(path) > MIN_AGE_MS.copy
  }
}
