import { join } from 'node:path'
import { readConfig } from '../../config.ts'
import { openPostgres } from '../../db/engines/postgres/open.ts'
import { readFolder } from '../../db/engines/sqljs/format/folder.ts'
import { openDb } from '../../db/engines/sqljs/open.ts'
import { StoreError } from '../../db/errors.ts'
import type { Db, StoreLogger } from '../../db/types.ts'
import { existsSync, readdirSync } from '../../disk/fs.ts'
import type { Place } from './place.ts'

/** Transactions of a copy run one after the other. */
const poolSize = 3

/** Opens the target, and creates its schema if it is new. */
export async function openTarget(place: Place, logger: StoreLogger): Promise<Db> {
  if (place.kind === 'database') return (await openPostgres({ url: place.url, poolSize, logger })).db
  const { folder } = place
  requireEmpty(folder)
  const { db } = await openDb({
    folder: join(folder, 'store'),
    dataDir: folder,
    maxStoreBytes: readConfig({ ...process.env, DATA_DIR: folder }).maxStoreBytes,
    logger,
    snapshotAtClose: true,
  })
  return db
}

const early = /^(?:store|store-record\.json|(?:disk|start)-reserve\.bin)(?:\.\w+\.tmp)?$/

/** Throws if the folder has files of another program. A store, also an unfinished one, is checked when it is open. */
function requireEmpty(folder: string): void {
  if (!existsSync(folder) || readdirSync(folder).every((name) => early.test(name))) return
  if (readFolder(join(folder, 'store')).snapshots.length > 0) return
  throw new StoreError('not_a_store', `${folder} is not empty. Choose a new folder.`)
}
