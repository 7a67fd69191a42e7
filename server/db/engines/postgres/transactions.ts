import { setTimeout as wait } from 'node:timers/promises'
import type { Pool, PoolClient } from 'pg'
import { createMutex } from '../../../lib/async/mutex.ts'
import { fail, storeClosed } from '../../../lib/fail.ts'
import { runCallbacks } from '../../run-callbacks.ts'
import type { StoreLogger, Tx, WriteOptions } from '../../types.ts'
import { isRetryable, isUnreachable, tooSlow, translate } from './errors.ts'
import { aliveReply, startTimeLimit, type TimeLimit } from './time-limit.ts'
import { type OpenTransaction, openTransaction } from './transaction.ts'

/**
 * Key of the advisory lock that a writing transaction holds. The number has no meaning but must never change.
 */
const writerLock = 7_046_930_001
/**
 * Reads see what other transactions committed before the statement. With the lock, which is taken first, no
 * other transaction commits changes meanwhile: checks and changes of a transaction see one state, as in the
 * other engine.
 */
const begin = 'BEGIN ISOLATION LEVEL READ COMMITTED'
const lock = `SELECT pg_advisory_xact_lock(${writerLock})`

/** Maximum number of attempts of a transaction that conflicts with others. */
const maxAttempts = 5
/** Longest wait before the second attempt, in milliseconds. It doubles with each attempt. */
const firstWaitMs = 20
/** Factor of the time limit for long transactions. */
const longFactor = 10

export type TransactionOptions = {
  readonly pool: Pool
  readonly logger: StoreLogger
  /** Time limit of a transaction, in milliseconds. */
  readonly timeoutMs: number
  /** Time limit of the reply to a statement that waits for nothing, in milliseconds. */
  readonly aliveMs: number
  /** Returns a number from 0 to 1. */
  readonly random?: () => number
}

export type Transactions = {
  write<T>(work: (tx: Tx) => Promise<T>, options?: WriteOptions): Promise<T>
  /** Number of committed transactions of this process that changed something. */
  committed(): number
  /** Rejects later transactions. Resolves when the earlier ones have ended. */
  stop(): Promise<void>
}

type State = TransactionOptions & { committed: number }

type Committed<T> = { readonly result: T; readonly callbacks: readonly (() => void)[] }

/** Creates the transactions of this process. Transactions run one at a time, across all processes. */
export function createTransactions(options: TransactionOptions): Transactions {
  const state: State = { ...options, committed: 0 }
  // Transactions wait here, before they take a connection.
  const mutex = createMutex()
  let isStopped = false
  const assertOpen = (): void => {
    if (isStopped) throw storeClosed()
  }
  return {
    async write(work, { isLong = false } = {}) {
      assertOpen()
      return mutex.run(async () => {
        assertOpen()
        const timeoutMs = isLong ? state.timeoutMs * longFactor : state.timeoutMs
        const { result, callbacks } = await runWithRetry(state, work, timeoutMs)
        runCallbacks(callbacks, state.logger)
        return result
      })
    },
    committed: () => state.committed,
    stop: () =>
      mutex.run(async () => {
        isStopped = true
      }),
  }
}

/** Returns the error of the driver. */
const causeOf = (error: unknown): unknown =>
  error instanceof Error && error.cause !== undefined ? error.cause : error

/** Runs a transaction, and runs it again if it conflicted with another one. */
async function runWithRetry<T>(
  state: State,
  work: (tx: Tx) => Promise<T>,
  timeoutMs: number,
): Promise<Committed<T>> {
  const { random = Math.random } = state
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await runOnce(state, work, timeoutMs)
    } catch (error) {
      if (attempt === maxAttempts || !isRetryable(causeOf(error))) throw error
      await wait(random() * firstWaitMs * 2 ** (attempt - 1))
    }
  }
}

async function runOnce<T>(
  state: State,
  work: (tx: Tx) => Promise<T>,
  timeoutMs: number,
): Promise<Committed<T>> {
  const client = await connect(state.pool)
  const transaction = openTransaction(client)
  let limit: TimeLimit | undefined
  /** Set if the connection must not be used again. */
  let broken: Error | undefined
  try {
    // Sent together. Only the lock can wait.
    await Promise.all([aliveReply(control(client, begin), state.aliveMs), control(client, lock)])
    // Waiting for other writers does not count.
    limit = startTimeLimit(timeoutMs, () => (transaction.isWaiting() ? tooSlow() : timeoutError(timeoutMs)))
    const result = await Promise.race([work(transaction.tx), limit.expired])
    limit.stop()
    transaction.assertAlive()
    transaction.end('The transaction has ended; a query in it was not awaited')
    await transaction.idle()
    await commit(client)
    if (transaction.hasChanges()) state.committed += 1
    return { result, callbacks: transaction.callbacks }
  } catch (error) {
    limit?.stop()
    transaction.end('The transaction was rolled back')
    broken =
      limit?.hasExpired() === true || isUnreachable(causeOf(error))
        ? new Error('The connection may not answer')
        : await rollBack(client, transaction)
    throw error
  } finally {
    client.release(broken)
  }
}

export async function connect(pool: Pool): Promise<PoolClient> {
  try {
    return await pool.connect()
  } catch (error) {
    throw translate(error, 'connect')
  }
}

/** Runs a statement of the transaction itself. Returns its command tags. */
async function control(client: PoolClient, sql: string): Promise<readonly string[]> {
  try {
    const results = await client.query(sql)
    return (Array.isArray(results) ? results : [results]).map(({ command }) => command)
  } catch (error) {
    throw translate(error, sql)
  }
}

async function commit(client: PoolClient): Promise<void> {
  const [tag] = await control(client, 'COMMIT').catch((error: unknown) => {
    if (!(error instanceof Error) || !isUnreachable(error.cause)) throw error
    const detail =
      'The database stopped answering while it stored the change, so it is unknown whether it did. Check before you repeat it.'
    throw fail('store.unavailable', { detail, isUncertain: true, cause: error.cause })
  })
  // PostgreSQL rolls back if a statement failed, even if the caller caught the error.
  if (tag !== 'COMMIT')
    throw new Error(
      'The transaction was rolled back: a statement in it failed, and its error was caught outside tx.attempt',
    )
}

/** Rolls back. Returns the error if the connection cannot be used any more. */
async function rollBack(client: PoolClient, transaction: OpenTransaction): Promise<Error | undefined> {
  try {
    await transaction.idle()
    await client.query('ROLLBACK')
    return undefined
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error))
  }
}

const timeoutError = (ms: number): Error =>
  new Error(
    `A transaction was still open after ${ms} ms and was rolled back. Most likely it waited for something other than the store.`,
  )
