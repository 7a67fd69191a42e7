import { join } from 'node:path'
import type { Config } from '../../config.ts'
import type { DatabaseConfig } from '../../config-database.ts'
import { refuseUnfinishedCopy } from '../../db/copy/marker.ts'
import { type OpenedStore, openDb } from '../../db/engines/sqljs/open.ts'
import { ensureFolder, lockFolder } from '../../db/engines/sqljs/open-folder.ts'
import { StoreError } from '../../db/errors.ts'
import type { Db, StoreLogger } from '../../db/types.ts'
import { knownAuditEntry } from '../../history/chain/known-entry.ts'
import { tableHead } from '../../history/chain/table-head.ts'
import { endAll } from '../../lib/end-all.ts'
import type { ComposeDeps } from '../deps.ts'

/** Opens the store in the data folder, or the database if one is configured. */
export async function openStore(config: Config, deps: ComposeDeps): Promise<OpenedStore> {
  const { dataDir, database } = config
  if (database !== null) return openDatabase(config, database, deps)
  const store = await openDb({
    folder: join(dataDir, 'store'),
    dataDir,
    knownAuditEntry: () => knownAuditEntry(dataDir),
    maxStoreBytes: config.maxStoreBytes,
    tuning: { journalBytes: config.journalBytes },
    logger: deps.logger,
    clock: deps.clock,
    onFatal: deps.onFatal,
    snapshotAtClose: true,
    ...deps.store,
  })
  await closeUnless(store.db, refuseUnfinishedCopy(store.db, dataDir))
  return store
}

/** Closes the store if a check of it fails, and rethrows. */
const closeUnless = (db: Db, check: Promise<void>): Promise<void> =>
  check.catch(async (error: unknown) => {
    await db.close()
    throw error
  })

/**
 * Connects to the database. Keys and captured texts are in the data folder all the same, so this process locks it. The
 * engine is loaded here, so that a service without a database does not load it.
 */
async function openDatabase(
  { dataDir }: Pick<Config, 'dataDir'>,
  { url, poolSize }: DatabaseConfig,
  { logger }: { readonly logger: StoreLogger },
): Promise<OpenedStore> {
  const { openPostgres } = await import('../../db/engines/postgres/open.ts')
  const folder = join(dataDir, 'store')
  ensureFolder(folder)
  const lock = await lockFolder({ folder, dataDir, logger })
  try {
    const { db, isNew, storeId, peers } = await openPostgres({ url, poolSize, logger })
    const check = async (): Promise<void> => {
      await refuseUnfinishedCopy(db, 'the database of DATABASE_URL')
      await requireKnownAudit(db, dataDir)
    }
    await closeUnless(db, check())
    return {
      db: { ...db, close: () => endAll([db.close, lock.release]) },
      lock,
      isNew,
      storeId,
      peers,
      restoredFrom: null,
      clearRestore: () => {},
    }
  } catch (error) {
    await lock.release()
    throw error
  }
}

/**
 * Throws if the audit log is shorter than the signed head in the data folder proves: the database is another one, or
 * an older state of it.
 */
async function requireKnownAudit({ read }: Db, dataDir: string): Promise<void> {
  const known = await knownAuditEntry(dataDir)
  const { id: newest } = await tableHead(read)
  if (known === null || newest >= known) return
  throw new StoreError(
    'incomplete',
    `The audit log in the database of DATABASE_URL ends with entry ${newest}, but audit-head.json in ${dataDir} proves that entry ${known} was written. Nothing was changed. Correct DATABASE_URL, or use the data folder that belongs to this database. If an older backup of the database was restored on purpose, move audit-head.json away and start again.`,
  )
}
