import { setTimeout as delay } from 'node:timers/promises'
import type { Pool, PoolClient } from 'pg'
import { StoreError } from '../../errors.ts'
import type { Migration, Statement } from '../../migrations/migration.ts'
import { newestVersion, refuseNewerSchema } from '../../migrations/version.ts'
import { toPostgres } from './ddl.ts'
import { presenceLock } from './peer-link.ts'

/** Key of the advisory lock during a migration. The number has no meaning but must never change. */
const migrationLock = 7_046_930_002

/** Time to wait for instances that are stopping, in milliseconds. */
const defaultWaitMs = 30_000
const pollMs = 250

export type MigrationRun = { readonly from: number; readonly to: number }

const formsOf = (statement: Statement): readonly string[] =>
  typeof statement === 'string' ? [toPostgres(statement)] : statement.postgres

/**
 * Applies the missing migrations in one transaction. One instance migrates; the others wait and then find a current
 * schema. A newer schema is refused, and so is a migration while instances of an earlier version run: they would store rows
 * that lack what the new schema derives from them.
 */
export async function migrate(
  pool: Pool,
  migrations: readonly Migration[],
  waitMs = defaultWaitMs,
): Promise<MigrationRun> {
  const to = newestVersion(migrations)
  const client = await pool.connect()
  try {
    await client.query(`BEGIN; SET LOCAL lock_timeout = 0; SET LOCAL statement_timeout = 0`)
    await client.query(`SELECT pg_advisory_xact_lock(${migrationLock})`)
    const from = await currentVersion(client)
    refuseNewerSchema(from, migrations, 'The database')
    if (from > 0 && from < to) await requireAlone(client, waitMs)
    for (const { version, name, statements } of migrations.slice(from)) {
      for (const sql of statements.flatMap(formsOf)) await client.query(sql)
      await client.query('INSERT INTO schema_migrations (version, name) VALUES ($1, $2)', [version, name])
    }
    await client.query('COMMIT')
    return { from, to }
  } catch (error) {
    await client.query('ROLLBACK').catch(() => {})
    throw error
  } finally {
    client.release()
  }
}

/** Waits until no other instance is connected, or throws. A new one does not connect before the migration ends. */
async function requireAlone(client: PoolClient, waitMs: number): Promise<void> {
  const until = performance.now() + waitMs
  for (;;) {
    const { rows } = await client.query<{ is_alone: number }>(
      `SELECT pg_try_advisory_xact_lock(${presenceLock}) AS is_alone`,
    )
    if (rows[0]?.is_alone === 1) return
    if (performance.now() >= until)
      throw new StoreError(
        'locked',
        'Instances of an earlier version use the database of DATABASE_URL, and cannot work with the schema of this version. Stop all of them, then start again.',
      )
    await delay(pollMs)
  }
}

/** Returns the version of the schema; 0 for an empty database. Throws if it has tables of another program. */
async function currentVersion(client: PoolClient): Promise<number> {
  const tables = await client.query<{ name: string }>(
    `SELECT c.relname::text AS name FROM pg_class c
     WHERE c.relnamespace = current_schema()::regnamespace AND c.relkind IN ('r', 'p', 'v')`,
  )
  const names = tables.rows.map(({ name }) => name)
  if (names.includes('schema_migrations')) {
    const { rows } = await client.query<{ version: number }>(
      'SELECT coalesce(max(version), 0) AS version FROM schema_migrations',
    )
    return rows[0]?.version ?? 0
  }
  if (names.length > 0) {
    throw new StoreError(
      'not_a_store',
      `The database of DATABASE_URL has tables of another program (${names.slice(0, 3).join(', ')}). Choose an empty database or schema.`,
    )
  }
  await client.query(
    `CREATE TABLE schema_migrations (
      version bigint PRIMARY KEY,
      name text COLLATE "C" NOT NULL,
      applied_at timestamptz NOT NULL DEFAULT now()
    )`,
  )
  // Identifies the data, for what is stored beside the database.
  await client.query(`CREATE TABLE store_identity AS SELECT gen_random_uuid()::text AS id`)
  return 0
}
