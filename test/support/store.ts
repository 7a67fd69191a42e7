import { openPostgres } from '../../server/db/engines/postgres/open.ts'
import { openDb, type StoreOptions } from '../../server/db/engines/sqljs/open.ts'
import type { Db } from '../../server/db/types.ts'
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

/** Removes what is stored outside the folder. */
export const removeTestStore = (folder: string): Promise<void> => dropDatabase(folder)
