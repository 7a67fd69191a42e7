import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'kysely'
import { openPostgres } from '../../server/db/engines/postgres/open.ts'
import { openDb, type StoreOptions } from '../../server/db/engines/sqljs/open.ts'
import type { Db, Query } from '../../server/db/types.ts'
import { copyEmptyStore } from './empty-store/copy.ts'
import { databaseOf, dropDatabase, isOnPostgres } from './postgres/databases.ts'
import { runOnServer } from './postgres/server.ts'
import type { TestServer } from './service.ts'

const quiet = () => {}
const silent = { info: quiet, warn: quiet, error: quiet }

/**
 * Opens a store alone, on the engine of the test run. The same folder is the same store. It is small, because the
 * collector marks the whole heap for every 64 MB that are allocated outside of it.
 */
export async function openTestStore({
  folder,
  ...options
}: { readonly folder: string } & Partial<StoreOptions>): Promise<Db> {
  if (isOnPostgres) return (await openPostgres({ url: await databaseOf(folder), logger: silent })).db
  await copyEmptyStore(folder)
  const { db } = await openDb({ folder, maxStoreBytes: 16 * 1024 ** 2, logger: silent, ...options })
  return db
}

export type SharedStore = {
  readonly db: Db
  /** Restores the rows of a new store, which takes a fraction of the time to open one. */
  empty(): Promise<void>
  close(): Promise<void>
}

/** Opens an embedded store that several tests use one after another. */
export async function openSharedStore(): Promise<SharedStore> {
  const folder = await mkdtemp(join(tmpdir(), 'promptdeck-shared-'))
  const db = await openTestStore({ folder })
  const isTable = sql`type = 'table' AND name NOT LIKE 'sqlite_%'`
  const { rows } = await sql<{ name: string }>`SELECT name FROM sqlite_schema WHERE ${isTable}`.execute(
    db.read,
  )
  const tables = await Promise.all(
    rows.map(async ({ name }) => ({
      name,
      rows: (await sql`SELECT * FROM ${sql.table(name)}`.execute(db.read)).rows as Record<string, unknown>[],
    })),
  )
  return {
    db,
    empty: () =>
      db.write(async ({ q }) => {
        for (const { name, rows } of tables) {
          await sql`DELETE FROM ${sql.table(name)}`.execute(q)
          for (const row of rows)
            await sql`INSERT INTO ${sql.table(name)} VALUES (${sql.join(Object.values(row))})`.execute(q)
        }
      }),
    async close() {
      await db.close()
      await rm(folder, { recursive: true, force: true })
    },
  }
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

/** Returns everything that the store of a service contains, as text: a backup, or all rows of its database. */
export async function storedCopy(server: TestServer): Promise<string> {
  if (isOnPostgres) return rowsOf(await databaseOf(server.dataDir))
  const backup = await server.call('POST /api/backups')
  const file = await server.call(`GET /api/backups/${backup.body.data.id}/download`)
  if (!file.text.startsWith('SQLite format 3')) throw new Error(`The backup was ${file.status}: ${file.text}`)
  return file.text
}

async function rowsOf(url: string): Promise<string> {
  const tables = await runOnServer<{ name: string }>(
    url,
    `SELECT relname AS name FROM pg_class WHERE relkind IN ('r', 'p') AND relnamespace = 'public'::regnamespace`,
  )
  const texts: string[] = []
  for (const { name } of tables)
    for (const { row } of await runOnServer<{ row: string }>(url, `SELECT t::text AS row FROM "${name}" t`))
      texts.push(`${name} ${row}`)
  return texts.join('\n')
}
