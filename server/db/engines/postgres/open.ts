import type { Pool } from 'pg'
import { messageOf } from '../../../lib/text/message-of.ts'
import { StoreError } from '../../errors.ts'
import { migrations as released } from '../../migrations/index.ts'
import type { Migration } from '../../migrations/migration.ts'
import type { PeerLink } from '../../peer-link.ts'
import type { Db, StoreLogger } from '../../types.ts'
import { createDb } from './db.ts'
import { codeOf, isUnreachable } from './errors.ts'
import { migrate } from './migrate.ts'
import { createPeerLink } from './peer-link.ts'
import { createPool } from './pool.ts'
import { createTransactions } from './transactions.ts'

/** The oldest supported version of the server: `server_version_num` of 15.0. */
const minVersion = 150_000
const defaultPoolSize = 10
/** Time limit of a transaction, in milliseconds. */
const transactionTimeoutMs = 30_000
const defaultAliveMs = 10_000

export type PostgresOptions = {
  readonly url: string
  readonly logger: StoreLogger
  readonly migrations?: readonly Migration[]
  readonly poolSize?: number
  readonly timeoutMs?: number
  /** Time limits of the reply to a statement that waits for nothing, to any other one, and of connecting, in milliseconds. */
  readonly aliveMs?: number
  readonly replyMs?: number
  readonly connectMs?: number
  /** Time to wait for instances of an earlier version to stop before a migration, in milliseconds. */
  readonly peersMs?: number
}

export type OpenedPostgres = {
  readonly db: Db
  readonly isNew: boolean
  /** Identifies the database in files that are stored beside it. */
  readonly storeId: string
  /** Connects the processes that use the database, once it is started. */
  readonly peers: PeerLink
}

/**
 * Connects to the database, migrates its schema and returns the open store. If that fails, throws a
 * `StoreError` that states what to do. No message contains the password of the URL.
 */
export async function openPostgres(options: PostgresOptions): Promise<OpenedPostgres> {
  const { url, logger, migrations = released, poolSize = defaultPoolSize, replyMs, connectMs } = options
  const pool = createPool({ url, size: poolSize, logger, replyMs, connectMs })
  try {
    const run = await prepareSchema(options, migrations)
    if (run.from !== run.to) logger.info({ ...run }, 'brought the schema up to date')
    const { timeoutMs = transactionTimeoutMs, aliveMs = defaultAliveMs } = options
    const transactions = createTransactions({ pool, logger, timeoutMs, aliveMs })
    return {
      db: createDb({ pool, transactions, aliveMs }),
      isNew: run.from === 0,
      storeId: await readStoreId(pool),
      peers: createPeerLink({ url, pool, logger }),
    }
  } catch (error) {
    await pool.end().catch(() => {})
    throw withAdvice(error)
  }
}

/** Migrates the schema over a connection without a time limit of replies. */
async function prepareSchema({ url, logger, peersMs }: PostgresOptions, migrations: readonly Migration[]) {
  const pool = createPool({ url, size: 1, logger, replyMs: 0 })
  try {
    await checkServer(pool)
    return await migrate(pool, migrations, peersMs)
  } finally {
    await pool.end()
  }
}

/** Throws if the server is too old, or the encoding of the database is not UTF-8. */
export async function checkServer(pool: Pool): Promise<void> {
  const { rows } = await pool.query<{ version: string; encoding: string; name: string }>(
    `SELECT current_setting('server_version_num') AS version, current_setting('server_version') AS name,
      current_setting('server_encoding') AS encoding`,
  )
  const [server] = rows
  if (server === undefined || Number(server.version) < minVersion) {
    throw new StoreError(
      'unsupported',
      `The database of DATABASE_URL is PostgreSQL ${server?.name ?? '(unknown)'}; version 15 or newer is needed.`,
    )
  }
  if (server.encoding !== 'UTF8') {
    throw new StoreError(
      'unsupported',
      `The database of DATABASE_URL has the encoding ${server.encoding}; create it with ENCODING 'UTF8'.`,
    )
  }
}

async function readStoreId(pool: Pool): Promise<string> {
  const { rows } = await pool.query<{ id: string }>('SELECT id FROM store_identity')
  return rows[0]?.id ?? ''
}

/** Advice by SQLSTATE, for errors that the configuration can cause. */
const advice: Readonly<Record<string, string>> = {
  '28P01': 'Check user and password in DATABASE_URL.',
  '28000': 'Check user and password in DATABASE_URL, and pg_hba.conf of the server.',
  '3D000': 'Create the database, or correct its name in DATABASE_URL.',
  '25006': 'It is a standby or read-only: use the address of the primary server.',
  '3F000': 'Create the schema of the search_path, or correct the search_path of the user.',
  '42501': 'The user needs the right to create tables: make it the owner of the database.',
}

/** Matches code and message of an error of TLS. */
const tlsFailure = /\bSSL\b|TLS|CERT/

/** Returns the error with advice for the user, if the configuration can be its cause. */
export function withAdvice(error: unknown): unknown {
  if (error instanceof StoreError) return error
  const hint = advice[codeOf(error)]
  const isOfTls = tlsFailure.test(`${codeOf(error)} ${messageOf(error)}`)
  if (hint === undefined && !isOfTls && !isUnreachable(error)) return error
  const reason = messageOf(error) || codeOf(error)
  const otherHint = isOfTls
    ? 'Check sslmode and sslrootcert in DATABASE_URL, and the certificate of the server.'
    : 'Check that PostgreSQL runs at this address and accepts connections, then start again.'
  return new StoreError(
    'unreachable',
    `The database of DATABASE_URL cannot be used: ${reason}. ${hint ?? otherHint}`,
    { cause: error },
  )
}
