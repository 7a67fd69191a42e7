import { createMutex, type Mutex } from '../../../../lib/async/mutex.ts'
import { fail, storeClosed } from '../../../../lib/fail.ts'
import { queryOver } from '../../../dialect/query.ts'
import { sqliteDialect } from '../../../dialect/sqlite.ts'
import { stopReason } from '../../../errors.ts'
import { runCallbacks } from '../../../run-callbacks.ts'
import { excerpt } from '../../../statement-kind.ts'
import type { Query, StoreLogger, Tx, WriteOptions } from '../../../types.ts'
import { checkParameters } from '../../../values.ts'
import type { Journal } from '../journal/journal.ts'
import type { Engine } from '../sqlite/engine.ts'
import { createReadQueue } from './read-queue.ts'
import { guarded, runTransaction, type TransactionParts } from './run-transaction.ts'

export type Transactions = {
  readonly read: Query
  write<T>(work: (tx: Tx) => Promise<T>, options?: WriteOptions): Promise<T>
  /** Runs statements that only the store may run, such as a migration, as one durable transaction. */
  change(statements: readonly string[]): Promise<void>
  /** Runs `work` while no transaction is open. */
  between<T>(work: () => Promise<T>): Promise<T>
  settled(): Promise<void>
  /**
   * Refuses everything from now on, with the failure if there was one. The journal has already rejected what
   * is not on disk.
   */
  stop(failure?: Error): void
}

/** Factor of the limit for long transactions: a minute without a statement instead of five seconds. */
const longFactor = 12

type TransactionsOptions = {
  readonly engine: Engine
  readonly journal: Journal
  readonly limitBytes: number
  readonly isDiskFull: () => boolean
  /** Checks whether a full disk has space again. */
  readonly hasSpace: () => Promise<boolean>
  /**
   * Maximum time a transaction may wait for something other than the store, in milliseconds. Then it is
   * rolled back.
   */
  readonly transactionTimeoutMs: number
  readonly logger: StoreLogger
  /** Called when the engine or the journal failed after COMMIT, so that memory is ahead of the disk. */
  readonly onFatal: (error: Error) => void
}

type State = {
  readonly options: TransactionsOptions
  readonly parts: TransactionParts
  /** Lets one transaction run at a time. */
  readonly mutex: Mutex
  stopped: { readonly failure: Error | undefined } | undefined
}

export function createTransactions(options: TransactionsOptions): Transactions {
  const { engine, journal, onFatal } = options
  const parts = { engine, journal, reads: createReadQueue(), onFatal }
  const state: State = { options, parts, mutex: createMutex(), stopped: undefined }
  return {
    read: readQuery(state),
    write: (work, writeOptions) => write(state, work, writeOptions),
    change: (statements) => change(state, statements),
    between: (work) => state.mutex.run(work),
    async settled() {
      assertOpen(state)
      await journal.whenSynced(journal.committed())
    },
    stop(failure) {
      state.stopped ??= { failure }
    },
  }
}

function assertOpen({ stopped }: State): void {
  if (stopped === undefined) return
  const { failure } = stopped
  if (failure === undefined) throw storeClosed()
  throw fail('store.unavailable', { detail: stopReason(failure), cause: failure })
}

function readQuery(state: State): Query {
  const { engine, reads } = state.parts
  return queryOver({
    dialect: sqliteDialect,
    async execute(sql, parameters) {
      assertOpen(state)
      if (engine.kindOf(sql) !== 'read')
        throw new Error(`db.read only reads, write through db.write: ${excerpt(sql)}`)
      const values = checkParameters(parameters)
      return reads.run(() => {
        assertOpen(state)
        return guarded(state.parts, () => engine.execute(sql, values))
      })
    },
  })
}

async function write<T>(
  state: State,
  work: (tx: Tx) => Promise<T>,
  { evenWhenFull = false, isLong = false }: WriteOptions = {},
): Promise<T> {
  const { engine, journal, limitBytes, transactionTimeoutMs, isDiskFull, hasSpace, logger } = state.options
  assertOpen(state)
  // No await while the disk has space, so that a write keeps its place before a later close.
  if (!evenWhenFull && isDiskFull() && !(await hasSpace())) throw diskFull()
  const { result, transaction, callbacks } = await state.mutex.run(() => {
    assertOpen(state)
    if (!evenWhenFull && engine.database.usedBytes() >= limitBytes) throw full(limitBytes)
    const timeoutMs = isLong ? transactionTimeoutMs * longFactor : transactionTimeoutMs
    return runTransaction(state.parts, work, { isEssential: evenWhenFull, timeoutMs })
  })
  await journal.whenSynced(transaction, () => runCallbacks(callbacks, logger))
  return result
}

function change(state: State, statements: readonly string[]): Promise<void> {
  const { engine, journal, transactionTimeoutMs: timeoutMs } = state.options
  return state.mutex.run(async () => {
    const { transaction } = await runTransaction(
      state.parts,
      async (_, operations) => {
        for (const sql of statements) {
          engine.execute(sql, [])
          operations.push({ sql, parameters: [] })
        }
        const [broken] = engine.execute('PRAGMA foreign_key_check', []).rows
        if (broken !== undefined) throw new Error(`rows without their parent: ${JSON.stringify(broken)}`)
      },
      { isEssential: true, timeoutMs },
    )
    await journal.whenSynced(transaction)
  })
}

function full(limitBytes: number): Error {
  const limit = Math.round(limitBytes / 1024 / 1024)
  return fail('store.full', {
    detail: `The store has reached its limit of ${limit} MB. Delete old runs or raise MAX_STORE_MB.`,
  })
}

function diskFull(): Error {
  return fail('store.full', {
    detail:
      'The disk with the data folder is full, so nothing was changed. Free disk space; the service then continues automatically.',
  })
}
