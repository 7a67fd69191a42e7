import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { earlierAddressOf } from '../../db/engines/sqljs/lock/earlier-address.ts'
import { isPrivate } from '../../db/engines/sqljs/lock/permissions.ts'
import {
  livenessOf,
  ownIdentity,
  type ProcessIdentity,
} from '../../db/engines/sqljs/lock/process-identity.ts'
import { writeFileDurably } from '../../disk/durable.ts'
import { existsSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync } from '../../disk/fs.ts'
import { beforeSignals } from '../lib/before-signals.ts'

const prefix = 'promptdeck-copy-'
/** Names the process. Written first and removed last. */
const ownerName = 'process.json'

/** Creates a temporary folder, which a signal removes. Removes those of processes that were killed. */
export function createTemporaryFolder(): { readonly path: string; readonly remove: () => void } {
  removeAbandoned()
  const path = mkdtempSync(join(tmpdir(), prefix))
  const stop = beforeSignals(() => removeFolder(path))
  writeFileDurably(path, ownerName, JSON.stringify({ pid: process.pid, process: ownIdentity() }))
  return {
    path,
    remove() {
      stop()
      removeFolder(path)
    },
  }
}

function removeAbandoned(): void {
  for (const name of readdirSync(tmpdir())) {
    const path = join(tmpdir(), name)
    if (name.startsWith(prefix) && isPrivate(path) && isAbandoned(path)) removeFolder(path)
  }
}

function removeFolder(path: string): void {
  const store = join(path, 'store')
  // The lock has a socket outside the folder.
  if (existsSync(store)) rmSync(earlierAddressOf(realpathSync(store)), { force: true })
  rmSync(store, { recursive: true, force: true })
  rmSync(path, { recursive: true, force: true })
}

function isAbandoned(path: string): boolean {
  try {
    const text = readFileSync(join(path, ownerName), 'utf8')
    const owner = JSON.parse(text) as { pid: number; process: ProcessIdentity | null }
    return livenessOf(owner.pid, owner.process) === 'dead'
  } catch {
    // Another process is creating or removing it.
    return false
  }
}
