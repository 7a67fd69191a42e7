import { join } from 'node:path'
import { openPostgres } from '../../server/db/engines/postgres/open.ts'
import { openDb, type StoreOptions } from '../../server/db/engines/sqljs/open.ts'
import type { Db, Query } from '../../server/db/types.ts'
import { databaseOf, dropDatabase, isOnPostgres } from './postgres/databases.ts'

const quiet = () => {}
const silent = { info: quiet, warn: quiet, error: quiet }

/** Opens a store alone, on the engine of the test run. The same folder is the same store. */
export async function openTestStore({
  folder,
  ...options
}: { readonly folder: string } & Partial<StoreOptions>): Promise<Db> {
  if (isOnPostgres) return (await openPostgres({ url: await databaseOf(folder), logger: silent })).db
  const { db } = await openDb({ folder, maxStoreBytes: 1024 ** 3, logger: silent, ...options })
  return db
}

/** Reads or writes the store of a stopped service directly. */
export async function inStoreOf(
  { dataDir }: { readonly dataDir: string },
  work: (q: Query) => Promise<void>,
): Promise<void> {
  const folder = isOnPostgres ? dataDir : join(dataDir, 'store')
  const db = await openTestStore({ folder })
  await db.write(({ q }) => work(q))
  await db.close()
}

/** Removes what is stored outside the folder. */
export const removeTestStore = (folder: string): Promise<void> => dropDatabase(folder)
