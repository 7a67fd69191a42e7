import { join, resolve } from 'node:path'
import { writeFileDurably } from '../../../../disk/durable.ts'
import { type Clock, systemClock } from '../../../../lib/clock.ts'
import { messageOf } from '../../../../lib/text/message-of.ts'
import { checkSeal } from '../../../backup-seal.ts'
import { StoreError } from '../../../errors.ts'
import { migrations as released } from '../../../migrations/index.ts'
import type { Migration } from '../../../migrations/migration.ts'
import { newestVersion, refuseNewerSchema } from '../../../migrations/version.ts'
import type { StoreLogger } from '../../../types.ts'
import { fileNames, readFolder } from '../format/folder.ts'
import type { Fence } from '../lock/fence.ts'
import { acquireLock } from '../lock/lock.ts'
import { newRecord } from '../record/guard.ts'
import { ensureStoreId } from '../record/identity.ts'
import { createRecord } from '../record/record-file.ts'
import {
  checkDatabase,
  type LoadedDatabase,
  loadDatabaseFile,
  type Sidecar,
  writeVerified,
} from '../snapshot/snapshot.ts'
import { createEngine } from '../sqlite/engine.ts'
import { loadSqlJs } from '../sqlite/sqljs.ts'
import { presentState } from './present.ts'
import { finishRestore, newMarker, writeMarker } from './restore-marker.ts'
import { lossOfRestore } from './summary.ts'

export type Restored = {
  /** The folder with the files that were replaced. */
  readonly replaced: string
  readonly sizeBytes: number
  readonly schema: number
  readonly transaction: number
  /** False if no checksum of the file was found, so that only its structure was checked. */
  readonly isVerified: boolean
  /**
   * Data of the replaced store that the backup does not contain, as lines for a person. Null if the replaced
   * store cannot be read.
   */
  readonly lost: readonly string[] | null
}

export type RestoreOptions = {
  readonly folder: string
  /** The data folder, which contains the record of the store. Undefined for a store that is used alone. */
  readonly dataDir?: string
  readonly file: string
  /** The folder of backups: a downloaded backup is compared with the checksum recorded there. */
  readonly backups?: string
  readonly logger: StoreLogger
  readonly clock?: Clock
  readonly migrations?: readonly Migration[]
}

/**
 * Replaces the data in `folder` with a backup. Throws if a service owns the folder, if the file is not a valid
 * Promptdeck database of a schema this version knows, or if its checksum differs. Moves the replaced files
 * aside and deletes nothing.
 */
export async function restoreBackup(options: RestoreOptions): Promise<Restored> {
  const lock = await acquireLock(options.folder, options.logger)
  try {
    return await restoreLocked(options, lock.fence)
  } catch (error) {
    if (error instanceof StoreError) throw error
    const message = `The restore was not completed: ${messageOf(error)}. Nothing was deleted. Correct the cause and run it again.`
    throw new StoreError('unreadable', message, { cause: error })
  } finally {
    await lock.release()
  }
}

async function restoreLocked(options: RestoreOptions, fence: Fence): Promise<Restored> {
  const { folder, logger, migrations = released } = options
  const file = resolve(options.file)
  const now = (options.clock ?? systemClock).now()
  finishRestore(folder, logger)
  const isVerified = checkSealOf(file, options.backups)
  const present = await presentState(folder, migrations, now, logger)
  const { database, crc32, schema, transaction } = await readBackup(file, migrations)
  try {
    const lost = present && lossOfRestore(createEngine(database), transaction, present)
    const generation = (readFolder(folder).snapshots[0] ?? 0) + 1
    const marker = newMarker(file, generation, now)
    const name = fileNames.snapshot(generation)
    const bytes = database.bytes()
    writeVerified(join(folder, name), bytes, fence, (sha256) => {
      const made_at = marker.at
      const sidecar: Sidecar = {
        file: name,
        bytes: bytes.length,
        sha256,
        crc32,
        transaction,
        schema,
        made_at,
      }
      writeFileDurably(folder, fileNames.sidecar(generation), `${JSON.stringify(sidecar, null, 2)}\n`)
      writeMarker(folder, marker)
    })
    finishRestore(folder, logger)
    if (options.dataDir !== undefined) {
      const record = newRecord(ensureStoreId(folder, null), transaction, marker.at)
      createRecord(options.dataDir, record)
    }
    const replaced = join(folder, marker.replaced)
    return { replaced, sizeBytes: bytes.length, schema, transaction, isVerified, lost }
  } finally {
    database.close()
  }
}

function checkSealOf(file: string, backups: string | undefined): boolean {
  try {
    return checkSeal(file, backups)
  } catch (error) {
    if (error instanceof StoreError) throw error
    throw new StoreError('unreadable', `${file} cannot be read: ${messageOf(error)}`, { cause: error })
  }
}

async function readBackup(file: string, migrations: readonly Migration[]): Promise<LoadedDatabase> {
  const sql = await loadSqlJs()
  let loaded: LoadedDatabase
  try {
    loaded = loadDatabaseFile(sql, file, 0)
  } catch (error) {
    if (error instanceof StoreError) throw error
    throw new StoreError('unreadable', `${file} cannot be read: ${messageOf(error)}`, { cause: error })
  }
  try {
    checkDatabase(loaded.database, file, 'integrity_check')
    refuseNewerSchema(loaded.schema, migrations, file)
    if (loaded.schema < 1 && newestVersion(migrations) > 0) {
      throw new StoreError('not_a_store', `${file} does not contain Promptdeck data.`)
    }
    const [broken] = loaded.database.connection.exec('PRAGMA foreign_key_check')[0]?.values ?? []
    if (broken !== undefined)
      throw new StoreError('damaged', `${file} is damaged: ${broken[0]} has rows without their parent.`)
    return loaded
  } catch (error) {
    loaded.database.close()
    throw error
  }
}
