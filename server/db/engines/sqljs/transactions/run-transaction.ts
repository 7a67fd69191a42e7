import { fail } from '../../../../lib/fail.ts'
import { isNoSpace } from '../../../../lib/files/no-space.ts'
import { messageOf } from '../../../../lib/text/message-of.ts'
import type { Tx } from '../../../types.ts'
import type { Operation } from '../format/operations.ts'
import type { Journal, Reservation } from '../journal/journal.ts'
import type { Engine } from '../sqlite/engine.ts'
import type { ReadQueue } from './read-queue.ts'
import { type OpenTransaction, openTransaction } from './transaction.ts'

export type TransactionParts = {
  readonly engine: Engine
  readonly journal: Journal
  readonly reads: ReadQueue
  readonly onFatal: (error: Error) => void
}

export type Committed<T> = {
  readonly result: T
  readonly transaction: number
  readonly callbacks: readonly (() => void)[]
}

/** Reports a WASM trap as fatal, because the state of the engine is unknown afterwards. */
export function guarded<T>({ onFatal }: TransactionParts, work: () => T): T {
  try {
    return work()
  } catch (error) {
    if (error instanceof Error && error.name === 'RuntimeError') onFatal(error)
    throw error
  }
}

/** Runs `work` as one transaction and commits it. Rolls back and rethrows if it fails. */
export async function runTransaction<T>(
  parts: TransactionParts,
  work: (tx: Tx, operations: Operation[]) => Promise<T>,
  { isEssential, timeoutMs }: { readonly isEssential: boolean; readonly timeoutMs: number },
): Promise<Committed<T>> {
  const { engine, reads } = parts
  const operations: Operation[] = []
  const callbacks: (() => void)[] = []
  engine.begin()
  reads.pause()
  const run = <R>(statement: () => R): R => guarded(parts, statement)
  const transaction = openTransaction({ engine, guarded: run, operations, callbacks })
  const { tx, end, assertAlive } = transaction
  const timeout = startTimeout(transaction, timeoutMs)
  try {
    const result = await Promise.race([work(tx, operations), timeout.expired])
    timeout.stop()
    assertAlive()
    end('The transaction has ended; a query in it was not awaited')
    // Await only if the journal needs a new segment: most transactions fit into the current one.
    const committing = commit(parts, operations, isEssential)
    const number = typeof committing === 'number' ? committing : await committing
    return { result, transaction: number, callbacks }
  } catch (error) {
    timeout.stop()
    end('The transaction was rolled back')
    if (engine.isInTransaction()) engine.rollback()
    throw error
  } finally {
    reads.resume()
  }
}

/** Reserves space in the journal, commits, and appends. Returns the number of the transaction. */
function commit(
  parts: TransactionParts,
  operations: readonly Operation[],
  isEssential: boolean,
): number | Promise<number> {
  const { engine, journal } = parts
  if (operations.length === 0) {
    engine.commit()
    return journal.committed()
  }
  const reserved = journal.reserve(operations, isEssential)
  if (!(reserved instanceof Promise)) return commitReserved(parts, reserved)
  return reserved.catch(refuseChange).then((reservation) => commitReserved(parts, reservation))
}

function commitReserved(parts: TransactionParts, reservation: Reservation): number {
  // A COMMIT that fails (a deferred foreign key) leaves the transaction open. The caller rolls it back.
  guarded(parts, () => parts.engine.commit())
  try {
    return parts.journal.append(reservation)
  } catch (error) {
    parts.onFatal(error instanceof Error ? error : new Error(String(error)))
    throw fail('store.unavailable', { cause: error })
  }
}

/**
 * Rejects if the transaction executes no statement for `ms`: it waits for a read or write by its own caller. A
 * transaction that executes statements is not rolled back, however slow the machine is. Reads from elsewhere run
 * after the rollback.
 */
function startTimeout(
  transaction: Pick<OpenTransaction, 'end' | 'statements'>,
  ms: number,
): { readonly expired: Promise<never>; stop(): void } {
  let stop = (): void => {}
  const expired = new Promise<never>((_, reject) => {
    let seen = transaction.statements()
    let timer: NodeJS.Timeout
    const check = (): void => {
      if (transaction.statements() !== seen) {
        start()
        return
      }
      const reason = `A transaction executed nothing for ${ms} ms and was rolled back`
      const cause =
        'inside db.write only tx.q reads (db.read and db.write wait for the transaction they are in)'
      transaction.end(reason)
      reject(new Error(`${reason}. Most likely it waited for itself: ${cause}.`))
    }
    const start = (): void => {
      seen = transaction.statements()
      timer = setTimeout(check, ms)
    }
    start()
    stop = () => clearTimeout(timer)
  })
  expired.catch(() => {})
  return { expired, stop: () => stop() }
}

/** Throws the problem for a change that the disk refused: it is rolled back and may be repeated. */
function refuseChange(error: NodeJS.ErrnoException): never {
  const reason = messageOf(error)
  if (isNoSpace(error)) {
    const detail = `The disk has no space for the change, so it was not stored: ${reason}.`
    throw fail('store.full', { detail, cause: error })
  }
  const detail = `The disk refused the change, so it was not stored: ${reason}. Check the disk and the folder's permissions, then try again.`
  throw fail('store.unavailable', { detail, cause: error })
}
