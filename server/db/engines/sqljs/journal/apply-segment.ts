import { basename } from 'node:path'
import { messageOf } from '../../../../lib/text/message-of.ts'
import { StoreError } from '../../../errors.ts'
import { decodeOperations, type Operation } from '../format/operations.ts'
import { RECORDS_AT, recordsOf, type Segment } from '../format/segment.ts'
import type { Engine } from '../sqlite/engine.ts'

/** Number of transactions of the journal per SQLite transaction, because a commit costs more than a row. */
const TRANSACTIONS_PER_COMMIT = 500

/** Applies the records of one segment that are newer than the state, up to `until`. */
export function applySegment(options: {
  readonly applier: Applier
  readonly segment: Segment
  readonly file: string
  readonly progress: { transaction: number }
  readonly until: number
}): { readonly offset: number; readonly last: number; readonly bytes: number } {
  const { applier, segment, file, progress, until } = options
  const dictionary = new Map<number, string>()
  let offset = RECORDS_AT
  let last = segment.mark?.start ?? 0
  let bytes = 0
  for (const record of recordsOf(segment)) {
    if (record.transaction > until) break
    const operations = decode(file, record.body, dictionary, offset, progress.transaction)
    if (record.transaction > progress.transaction) {
      applier.apply(operations, file, record.transaction)
      progress.transaction = record.transaction
      bytes += record.end - offset
    }
    last = record.transaction
    offset = record.end
  }
  applier.flush()
  return { offset, last, bytes }
}

export type Applier = ReturnType<typeof createApplier>

/** Applies transactions to the engine, several per SQLite transaction. */
export function createApplier(engine: Engine) {
  let open = 0
  let count = 0
  const flush = (): void => {
    if (open > 0) engine.commit()
    open = 0
  }
  return {
    flush,
    count: () => count,
    apply(operations: readonly Operation[], file: string, transaction: number): void {
      if (open === 0) engine.begin()
      apply(engine, operations, file, transaction)
      open += 1
      count += 1
      if (open >= TRANSACTIONS_PER_COMMIT) flush()
    },
  }
}

function decode(
  file: string,
  body: Buffer,
  dictionary: Map<number, string>,
  offset: number,
  transaction: number,
) {
  try {
    return decodeOperations(body, dictionary)
  } catch (error) {
    throw damagedSegment(file, offset, transaction, messageOf(error))
  }
}

function apply(engine: Engine, operations: readonly Operation[], file: string, transaction: number): void {
  try {
    for (const { sql, parameters } of operations) engine.apply(sql, parameters)
  } catch (error) {
    engine.rollback()
    const reason = `transaction ${transaction} in ${basename(file)} does not apply to the snapshot: ${messageOf(error)}`
    throw new StoreError('damaged', `The journal and the snapshot do not match: ${reason}.`, { cause: error })
  }
}

/** Creates the error of a segment that is damaged at `offset`. */
export function damagedSegment(
  file: string,
  offset: number,
  transaction: number,
  reason: string,
): StoreError {
  return new StoreError(
    'damaged',
    `The journal is damaged: ${basename(file)} at byte ${offset}: ${reason}. Everything up to transaction ${transaction} can be read.`,
  )
}
