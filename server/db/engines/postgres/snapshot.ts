import type { PoolClient } from 'pg'
import { queryOver } from '../../dialect/query.ts'
import { StoreError } from '../../errors.ts'
import { migrations as released } from '../../migrations/index.ts'
import { newestVersion, refuseNewerSchema } from '../../migrations/version.ts'
import { excerpt, kindOf } from '../../statement-kind.ts'
import type { Query, StoreLogger } from '../../types.ts'
import { postgresDialect } from './compiler.ts'
import { checkServer, withAdvice } from './open.ts'
import { presenceLock } from './peer-link.ts'
import { createPool } from './pool.ts'
import { type Connection, runStatement } from './transaction.ts'

/** A read-only view of one state of a database. */
export type Snapshot = {
  readonly read: Query
  readonly storeId: string
  /** Reads the state that is now in the database. */
  readonly current: Query
  /** Returns true if a service is connected to the database. */
  isInUse(): Promise<boolean>
  close(): Promise<void>
}

/** Begins the transaction of a snapshot, which has no time limits. */
const begin = `BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY; SET LOCAL statement_timeout = 0;
  SET LOCAL lock_timeout = 0; SET LOCAL idle_in_transaction_session_timeout = 0`

const findInstance = `SELECT 1 FROM pg_locks WHERE locktype = 'advisory' AND objsubid = 1
  AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
  AND (classid::bigint << 32) + objid::bigint = ${presenceLock} LIMIT 1`

/**
 * Opens the current state of a database. Changes nothing, so it does not migrate: the database must have this
 * version's schema.
 */
export async function openSnapshot(options: {
  readonly url: string
  readonly logger: StoreLogger
}): Promise<Snapshot> {
  const pool = createPool({ ...options, size: 2, replyMs: 0 })
  let client: PoolClient | undefined
  const close = async (): Promise<void> => {
    client?.release(true)
    client = undefined
    await pool.end()
  }
  try {
    await checkServer(pool)
    const connection = await pool.connect()
    client = connection
    await connection.query(begin)
    const storeId = await readIdentity(connection)
    const reading = (from: Connection): Query =>
      queryOver({
        dialect: postgresDialect,
        async execute(sql, parameters) {
          if (kindOf(sql) !== 'read') throw new Error(`A snapshot only reads: ${excerpt(sql)}`)
          return runStatement(from, sql, parameters)
        },
      })
    const isInUse = async () => (await pool.query(findInstance)).rows.length > 0
    return { read: reading(connection), current: reading(pool), storeId, isInUse, close }
  } catch (error) {
    await close().catch(() => {})
    throw withAdvice(error)
  }
}

/** Returns the id of the store. Throws if the database has no store, or another version of the schema. */
async function readIdentity(client: Connection): Promise<string> {
  const found = await client.query<{ found: number }>(
    `SELECT (to_regclass('schema_migrations') IS NOT NULL)::int AS found`,
  )
  if (found.rows[0]?.found !== 1)
    throw new StoreError('not_a_store', 'The database has no data of Promptdeck. Check its URL.')
  const { rows } = await client.query<{ version: number; id: string }>(
    'SELECT (SELECT max(version) FROM schema_migrations) AS version, id FROM store_identity',
  )
  const version = rows[0]?.version ?? 0
  refuseNewerSchema(version, released, 'The database')
  const newest = newestVersion(released)
  if (version < newest) {
    throw new StoreError(
      'older_schema',
      `The database was written by an older version of Promptdeck (schema ${version}; this version has ${newest}). Start the service of this version on it once, then stop it and run the command again.`,
    )
  }
  return rows[0]?.id ?? ''
}
