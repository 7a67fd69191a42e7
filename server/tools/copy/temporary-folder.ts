import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  COPY_FOLDER,
  COPY_OWNER_FILE,
  removeAbandonedCopies,
  removeCopy,
} from '../../db/engines/sqljs/lock/abandoned.ts'
import { ownIdentity } from '../../db/engines/sqljs/lock/process-identity.ts'
import { writeFileDurably } from '../../disk/durable.ts'
import { mkdtempSync } from '../../disk/fs.ts'
import { beforeSignals } from '../lib/before-signals.ts'

/** Creates a temporary folder, which a signal removes. Removes those of processes that were killed. */
export function createTemporaryFolder(): { readonly path: string; readonly remove: () => void } {
  removeAbandonedCopies()
  const path = mkdtempSync(join(tmpdir(), COPY_FOLDER))
  const stop = beforeSignals(() => removeCopy(path))
  writeFileDurably(path, COPY_OWNER_FILE, JSON.stringify({ pid: process.pid, process: ownIdentity() }))
  return {
    path,
    remove() {
      stop()
      removeCopy(path)
    },
  }
}
