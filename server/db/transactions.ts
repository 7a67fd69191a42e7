import { fail } from '../lib/fail.ts'
import type { Operation } from './codec.ts'
import { queryOver } from './dialect.ts'
import type { Engine } from './engine.ts'
import { messageOf, stopReason } from './errors.ts'
import type { Journal } from './journal.ts'
import { excerpt } from './statement-kind.ts'
import { openTransaction } from './transaction.ts'
import { createTurnstile } from './turnstile.ts'
import type { Query, Tx, WriteOptions } from './types.ts'
import { checkParameters } from './values.ts'

export type Transactions = {
  readonly read: Query
  write<T>(work: (tx: Tx) => Promise<T>, options?: WriteOptions): Promise<T>
  /** One durable transaction of statements only the store may run: a migration. */
  change(statements: readonly string[]): Promise<void>
  /** Runs `work` between two transactions. */
  between<T>(work: () => Promise<T>): Promise<T>
  settled(): Promise<void>
  /**
   * From now on everything is refused, with the failure if there was one. What is not on disk yet has been rejected by
   * the journal.
   */
  stop(failure?: Error): void
}

type Committed<T> = {
  readonly result: T
  readonly transaction: number
  readonly callbacks: readonly (() => void)[]
}

/** A minute instead of five seconds. */
const longFactor = 12

/** No room for the journal: the write is undone and may be tried again. */
const NO_SPACE = new Set(['ENOSPC', 'EDQUOT', 'EIO'])

export function createTransactions(options: {
  readonly engine: Engine
  readonly journal: Journal
  readonly limitBytes: number
  readonly isDiskFull: () => boolean
  /** Looks whether a full disk has room again. */
  readonly hasRoom: () => Promise<boolean>
  /** Longer than this no transaction may wait for something that is not the store: it is undone. */
  readonly heldMs: number
  readonly onCallbackError: (error: unknown) => void
  /** The engine or the journal broke after COMMIT: memory is ahead of the disk. */
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

  /** A WASM trap leaves the engine in an unknown state: nothing it says afterwards is to be trusted. */
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

  /** Rejects when the transaction stays open on something other than the store: mostly on a read of its own caller. */
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
      // The first COMMIT that fails (a deferred foreign key) leaves the transaction open: undone below.
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
      // Without an await while there is room: a write keeps its place before a close that comes after it.
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
