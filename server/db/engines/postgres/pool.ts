import { Pool, type PoolClient } from 'pg'
import { messageOf } from '../../../lib/text/message-of.ts'
import type { StoreLogger } from '../../types.ts'
import { types } from './values.ts'

/** Time to connect, or to wait for a free connection, in milliseconds. */
const defaultConnectMs = 5_000
/** Time after which an unused connection is closed, in milliseconds. */
const idleMs = 30_000

/** Time limits of the server, in milliseconds. They end what a stopped or stalled instance left behind. */
const limits = { statement: 60_000, lock: 60_000, idleInTransaction: 60_000 } as const
/** Time limit of a reply in milliseconds, above those of the server: a dead connection never returns an error. */
const defaultReplyMs = 65_000

/**
 * Settings of each connection. They are sent as a statement, because connection poolers refuse unknown startup
 * parameters. Compilation to machine code takes longer than the short statements of the service.
 */
const settings = [
  `SET statement_timeout = ${limits.statement}`,
  `SET lock_timeout = ${limits.lock}`,
  `SET idle_in_transaction_session_timeout = ${limits.idleInTransaction}`,
  'SET jit = off',
].join('; ')

export type PoolOptions = {
  readonly url: string
  readonly size: number
  readonly logger: StoreLogger
  /** Time limit of a reply, in milliseconds; 0: none. */
  readonly replyMs?: number | undefined
  readonly connectMs?: number | undefined
}

/** Creates the connections. None is made before the first statement. */
export function createPool(options: PoolOptions): Pool {
  const { url, size, logger, replyMs = defaultReplyMs, connectMs = defaultConnectMs } = options
  const pool = new Pool({
    connectionString: url,
    max: size,
    connectionTimeoutMillis: connectMs,
    idleTimeoutMillis: idleMs,
    query_timeout: replyMs,
    keepAlive: true,
    // Statements that a transaction runs at the same time are sent immediately.
    pipeline: true,
    application_name: 'promptdeck',
    types,
    // The pool uses a connection only after this has resolved.
    onConnect: async (client) => {
      await client.query(settings)
    },
  })
  const onBroken = (error: Error): void =>
    logger.warn({ reason: messageOf(error) }, 'a connection to the database broke')
  // An idle connection that breaks is replaced by the next statement.
  pool.on('error', onBroken)
  pool.on('connect', (client: PoolClient) => {
    // The pool listens only while a connection is idle, and an error without a listener ends the process.
    client.on('error', () => {})
  })
  return pool
}
