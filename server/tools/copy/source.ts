import { join } from 'node:path'
import { type Config, readConfig } from '../../config.ts'
import { fingerprintOf, refuseUnfinishedCopy } from '../../db/copy/marker.ts'
import { openSnapshot } from '../../db/engines/postgres/snapshot.ts'
import { refuseOwned } from '../../db/engines/sqljs/lock/lock.ts'
import { type OpenedStore, openDb, type StoreOptions } from '../../db/engines/sqljs/open.ts'
import { copyStoreFiles } from '../../db/engines/sqljs/private-copy.ts'
import { StoreError } from '../../db/errors.ts'
import { migrations } from '../../db/migrations/index.ts'
import type { Query, StoreLogger } from '../../db/types.ts'
import { existsSync } from '../../disk/fs.ts'
import { knownAuditEntry } from '../../history/chain/known-entry.ts'
import { requireData } from '../lib/arguments.ts'
import { nameOf, type Place } from './place.ts'
import { createTemporaryFolder } from './temporary-folder.ts'

/** A source that is only read. */
export type Source = {
  readonly read: Query
  /** Identifies the source. */
  readonly identity: string
  /** Identifies the source and its state. */
  readonly fingerprint: number
  /** Throws if a service uses the source or has used it since. */
  readonly requireUnused: () => void | Promise<void>
  close(): Promise<void>
}

type OpenedFolder = Omit<Source, 'identity' | 'fingerprint'> & { readonly storeId: string }

/** Opens the source. The files of a data folder and the rows of a database are never changed. */
export async function openSource(place: Place, logger: StoreLogger): Promise<Source> {
  const opened =
    place.kind === 'folder'
      ? await openFolder(place.folder, logger)
      : await openSnapshot({ ...place, logger })
  try {
    await refuseUnfinishedCopy(opened, nameOf(place))
    const { storeId, read, close } = opened
    const identity = `${storeId} ${migrations.length}`
    const fingerprint = await fingerprintOf(read, identity)
    if ('requireUnused' in opened) return { ...opened, identity, fingerprint }
    const requireUnused = async (): Promise<void> => {
      const isInUse = await opened.isInUse()
      if (!isInUse && (await fingerprintOf(opened.current, identity)) === fingerprint) return
      const when = isInUse ? 'uses the database' : 'used the database during the copy'
      throw new StoreError('locked', `A service ${when}. Stop it, then copy again to an empty target.`)
    }
    return { read, requireUnused, identity, fingerprint, close }
  } catch (error) {
    await opened.close()
    throw error
  }
}

async function openFolder(dataDir: string, logger: StoreLogger): Promise<OpenedFolder> {
  const known = () => knownAuditEntry(dataDir)
  const { db, storeId, restoredFrom, requireUnused, close } = await openCopy(dataDir, logger, known)
  if (restoredFrom === null) return { read: db.read, storeId: storeId ?? '', requireUnused, close }
  await close()
  throw new StoreError(
    'incomplete',
    `A backup was restored into ${dataDir}, and the audit log does not record it yet. Start the service on it once, then stop it and run the copy again.`,
  )
}

type OpenedCopy = OpenedStore & { readonly requireUnused: () => void; close(): Promise<void> }

/** Opens a temporary copy of a store, because opening a store replays its journal and migrates its schema. */
async function openCopy(
  dataDir: string,
  logger: StoreLogger,
  known?: StoreOptions['knownAuditEntry'],
): Promise<OpenedCopy> {
  const { path: copy, remove } = createTemporaryFolder()
  try {
    const requireUnused = await copyStoreFiles(dataDir, copy)
    const opened = await openDb({
      folder: join(copy, 'store'),
      dataDir: copy,
      ...(known !== undefined && { knownAuditEntry: known }),
      maxStoreBytes: readConfig({ ...process.env, DATA_DIR: dataDir }).maxStoreBytes,
      logger,
    })
    const close = async (): Promise<void> => {
      await opened.db.close()
      remove()
    }
    return { ...opened, requireUnused, close }
  } catch (error) {
    remove()
    throw error
  }
}

type Reading = Pick<OpenedCopy, 'restoredFrom' | 'close'> & { readonly read: Query }

/** Opens the store or the database of a service that is stopped. Changes nothing. */
export async function openToRead(
  { dataDir, database }: Pick<Config, 'dataDir' | 'database'>,
  logger: StoreLogger,
): Promise<Reading> {
  if (database === null) {
    const { db, restoredFrom, close } = await openCopy(dataDir, logger)
    return { read: db.read, restoredFrom, close }
  }
  requireData(dataDir)
  const store = join(dataDir, 'store')
  if (existsSync(store)) await refuseOwned(store)
  const { read, close } = await openSnapshot({ url: database.url, logger })
  return { read, restoredFrom: null, close }
}
