import { fail } from '../../../../lib/fail.ts'
import { queryOver } from '../../../dialect.ts'
import { messageOf, stopReason } from '../../../errors.ts'
import type { Query, Tx, WriteOptions } from '../../../types.ts'
import { checkParameters } from '../../../values.ts'
import type { Operation } from '../format/operations.ts'
import type { Journal } from '../journal/journal.ts'
import type { Engine } from '../sqlite/engine.ts'
import { excerpt } from '../sqlite/statement-kind.ts'
import { openTransaction } from './transaction.ts'
import { createTurnstile } from './turnstile.ts'

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

type Committed<T> = {
  readonly result: T
  readonly transaction: number
  readonly callbacks: readonly (() => void)[]
}

/** Factor of the time limit for long transactions: a minute instead of five seconds. */
const longFactor = 12

/** Error codes of a disk without space. The write is rolled back and may be repeated. */
const NO_SPACE = new Set(['ENOSPC', 'EDQUOT', 'EIO'])

export function createTransactions(options: {
  readonly engine: Engine
  readonly journal: Journal
  readonly limitBytes: number
  readonly isDiskFull: () => boolean
  /** Checks whether a full disk has space again. */
  readonly hasRoom: () => Promise<boolean>
  /**
   * Maximum time a transaction may wait for something other than the store, in milliseconds. Then it is
   * rolled back.
   */
  readonly heldMs: number
  readonly onCallbackError: (error: unknown) => void
  /** Called when the engine or the journal failed after COMMIT, so that memory is ahead of the disk. */
  readonly onFatal: (error: Error) => void
}): Transactions {
  const { engine, journal, limitBytes, heldMs } = options
  const turnstile = createTurnstile()
  let stopped: { readonly failure: Error | undefined } | undefined

  function assertOpen(): void {
    if (stopped === undefined) return
    const { failure } = stopped
    const detail = failure === undefined ? 'The store is closed.' : stopReason(failure)
    throw fail('store.unavailable', { detail, cause: failure })
  }

  const read = queryOver({
    async execute(sql, parameters) {
      assertOpen()
      if (engine.kindOf(sql) !== 'read')
        throw new Error(`db.read only reads, write through db.write: ${excerpt(sql)}`)
      const values = checkParameters(parameters)
      return turnstile.outside(() => {
        assertOpen()
        return guarded(() => engine.execute(sql, values))
      })
    },
  })

  /** Reports a WASM trap as fatal, because the state of the engine is unknown afterwards. */
  function guarded<T>(work: () => T): T {
    try {
      return work()
    } catch (error) {
      if (error instanceof Error && error.name === 'RuntimeError') options.onFatal(error)
      throw error
    }
  }

  function undo(): void {
    if (engine.isInTransaction()) engine.rollback()
  }

  /** Rejects if the transaction is open too long. Usually it waits for a read by its own caller. */
  function watch(
    end: (reason: string) => void,
    ms: number,
  ): { readonly expired: Promise<never>; stop(): void } {
    let stop = (): void => {}
    const expired = new Promise<never>((_, reject) => {
      const timer = setTimeout(() => {
        const reason = `A transaction was still open after ${ms} ms and was undone`
        const cause =
          'inside db.write only tx.q reads (db.read and db.write wait for the transaction they are in)'
        end(reason)
        const error = new Error(`${reason}. Most likely it waited for itself: ${cause}.`)
        turnstile.refuse(error)
        reject(error)
      }, ms)
      stop = () => clearTimeout(timer)
    })
    expired.catch(() => {})
    return { expired, stop: () => stop() }
  }

  async function run<T>(
    work: (tx: Tx, operations: Operation[]) => Promise<T>,
    isEssential: boolean,
    ms = heldMs,
  ): Promise<Committed<T>> {
    const operations: Operation[] = []
    const callbacks: (() => void)[] = []
    engine.begin()
    turnstile.open()
    const { tx, end, assertAlive } = openTransaction({ engine, guarded, operations, callbacks })
    const held = watch(end, ms)
    try {
      const result = await Promise.race([work(tx, operations), held.expired])
      held.stop()
      assertAlive()
      end('The transaction has ended; a query in it was not awaited')
      if (operations.length === 0) {
        engine.commit()
        return { result, transaction: journal.committed(), callbacks }
      }
      const reserved = journal.reserve(operations, isEssential)
      const reservation = reserved instanceof Promise ? await reserved.catch(refuseForRoom) : reserved
      // A COMMIT that fails (a deferred foreign key) leaves the transaction open. It is rolled back below.
      guarded(() => engine.commit())
      return { result, transaction: appendOrStop(reservation), callbacks }
    } catch (error) {
      held.stop()
      end('The transaction was undone')
      undo()
      throw error
    } finally {
      turnstile.close()
    }
  }

  function appendOrStop(reservation: Parameters<Journal['append']>[0]): number {
    try {
      return journal.append(reservation)
    } catch (error) {
      options.onFatal(error instanceof Error ? error : new Error(String(error)))
      throw fail('store.unavailable', { cause: error })
    }
  }

  return {
    read,
    async write<T>(
      work: (tx: Tx) => Promise<T>,
      { evenWhenFull = false, isLong = false }: WriteOptions = {},
    ) {
      assertOpen()
      // No await while the disk has space, so that a write keeps its place before a later close.
      if (!evenWhenFull && options.isDiskFull() && !(await options.hasRoom())) throw diskFull()
      await turnstile.enter()
      let committed: Committed<T>
      try {
        assertOpen()
        if (!evenWhenFull && engine.image.usedBytes() >= limitBytes) throw full(limitBytes)
        committed = await run(work, evenWhenFull, isLong ? heldMs * longFactor : heldMs)
      } finally {
        turnstile.leave()
      }
      const { result, transaction, callbacks } = committed
      await journal.whenSynced(transaction, () => {
        for (const callback of callbacks) {
          try {
            callback()
          } catch (error) {
            options.onCallbackError(error)
          }
        }
      })
      return result
    },
    async change(statements) {
      await turnstile.enter()
      try {
        const { transaction } = await run(async (_, operations) => {
          for (const sql of statements) {
            engine.execute(sql, [])
            operations.push({ sql, parameters: [] })
          }
          const [broken] = engine.execute('PRAGMA foreign_key_check', []).rows
          if (broken !== undefined) throw new Error(`rows without their parent: ${JSON.stringify(broken)}`)
        }, true)
        await journal.whenSynced(transaction)
      } finally {
        turnstile.leave()
      }
    },
    async between(work) {
      await turnstile.enter()
      try {
        return await work()
      } finally {
        turnstile.leave()
      }
    },
    async settled() {
      assertOpen()
      await journal.whenSynced(journal.committed())
    },
    stop(failure) {
      stopped ??= { failure }
    },
  }
}

function full(limitBytes: number): Error {
  const limit = Math.round(limitBytes / 1024 / 1024)
  return fail('store.full', {
    detail: `The store holds its limit of ${limit} MB. Delete old runs or raise MAX_STORE_MB.`,
  })
}

function diskFull(): Error {
  return fail('store.full', {
    detail:
      'The disk with the data folder is full, so nothing was changed. Free some room on it; the service then goes on by itself.',
  })
}

function refuseForRoom(error: NodeJS.ErrnoException): never {
  const detail = `The disk gave no room for the change, nothing was kept of it: ${messageOf(error)}.`
  throw fail(NO_SPACE.has(error.code ?? '') ? 'store.full' : 'store.unavailable', { detail, cause: error })
}
