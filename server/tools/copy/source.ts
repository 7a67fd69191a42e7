import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { readConfig } from '../../config.ts'
import { fingerprintOf, refuseUnfinishedCopy } from '../../db/copy/marker.ts'
import { openSnapshot } from '../../db/engines/postgres/snapshot.ts'
import { openDb } from '../../db/engines/sqljs/open.ts'
import { copyStoreFiles } from '../../db/engines/sqljs/private-copy.ts'
import { StoreError } from '../../db/errors.ts'
import { migrations } from '../../db/migrations/index.ts'
import type { Query, StoreLogger } from '../../db/types.ts'
import { mkdtempSync } from '../../disk/fs.ts'
import { rm } from '../../disk/promises.ts'
import { knownAuditEntry } from '../../history/chain/known-entry.ts'
import { nameOf, type Place } from './place.ts'

/** A source that is only read. */
export type Source = {
  readonly read: Query
  /** Identifies the source and its state. */
  readonly fingerprint: number
  /** Throws if a process has used the data folder since. */
  readonly requireUnused?: () => void
  close(): Promise<void>
}

type Opened = Omit<Source, 'fingerprint'> & { readonly storeId: string }

/** Opens the source. The files of a data folder and the rows of a database are never changed. */
export async function openSource(place: Place, logger: StoreLogger): Promise<Source> {
  const opened =
    place.kind === 'folder'
      ? await openFolder(place.folder, logger)
      : await openSnapshot({ ...place, logger })
  try {
    await refuseUnfinishedCopy(opened, nameOf(place))
    const { storeId, ...source } = opened
    return { ...source, fingerprint: await fingerprintOf(source.read, `${storeId} ${migrations.length}`) }
  } catch (error) {
    await opened.close()
    throw error
  }
}

/** Opens a copy of the store's files, because opening a store replays its journal and migrates its schema. */
async function openFolder(dataDir: string, logger: StoreLogger): Promise<Opened> {
  const copy = mkdtempSync(join(tmpdir(), 'promptdeck-copy-'))
  const remove = () => rm(copy, { recursive: true, force: true })
  try {
    const requireUnused = await copyStoreFiles(dataDir, copy)
    const { db, storeId, restoredFrom } = await openDb({
      folder: join(copy, 'store'),
      dataDir: copy,
      knownAuditEntry: () => knownAuditEntry(dataDir),
      maxStoreBytes: readConfig({ ...process.env, DATA_DIR: dataDir }).maxStoreBytes,
      logger,
    })
    const close = async (): Promise<void> => {
      await db.close()
      await remove()
    }
    if (restoredFrom === null) return { read: db.read, storeId: storeId ?? '', requireUnused, close }
    await close()
    throw new StoreError(
      'incomplete',
      `A backup was restored into ${dataDir}, and the audit log does not record it yet. Start the service on it once, then stop it and run the copy again.`,
    )
  } catch (error) {
    await remove()
    throw error
  }
}
