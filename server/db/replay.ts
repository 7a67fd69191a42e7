import { basename } from 'node:path'
import { decodeOperations } from './codec.ts'
import type { Engine } from './engine.ts'
import { messageOf, StoreError } from './errors.ts'
import { RECORDS_AT, readSegment, recordsOf, type Segment } from './segment.ts'

/** Transactions of the journal applied within one of SQLite: the state is the same and a commit costs more than a row. */
const APPLIED_TOGETHER = 500

export type Replayed = {
  /** The last transaction applied. */
  readonly transaction: number
  readonly count: number
  readonly bytes: number
  /** Where the last segment ends, and whether what lay behind it was cut. */
  readonly tail:
    | { readonly file: string; readonly offset: number; readonly wasCut: boolean; readonly isClosed: boolean }
    | undefined
  /** Segments with a transaction in them, oldest first. */
  readonly used: readonly { readonly file: string; readonly end: number }[]
}

/**
 * Applies every transaction after `from` that the segments hold, oldest first. Stops with a message at damage anywhere
 * but in the unsynced tail of the last one: what lies behind it was acknowledged, so leaving it out is not ours to decide.
 */
export function replay(engine: Engine, files: readonly string[], from: number): Replayed {
  const sources = files.map(sourceOf)
  let transaction = from
  let count = 0
  let bytes = 0
  let tail: Replayed['tail']
  const used: { file: string; end: number }[] = []
  let open = 0
  const flush = (): void => {
    if (open > 0) engine.commit()
    open = 0
  }

  for (const [index, source] of sources.entries()) {
    const { file } = source
    sources[index - 1]?.release()
    const next = sources.slice(index + 1).find((later) => later.segment()?.mark !== undefined)
    const nextStart = next?.segment()?.mark?.start
    // All of it is in the snapshot: not read, so damage in it does no harm.
    if (nextStart !== undefined && nextStart <= from) {
      used.push({ file, end: nextStart })
      continue
    }
    const segment = source.segment()
    if (segment === undefined) throw damagedSegment(file, 0, transaction, 'its header cannot be read')
    if (segment.mark === undefined) continue
    if (segment.mark.start > transaction) throw missing(file, transaction, segment.mark.start)

    const dictionary = new Map<number, string>()
    let offset = RECORDS_AT
    let last = segment.mark.start
    for (const record of recordsOf(segment)) {
      const operations = decode(file, record.body, dictionary, offset, transaction)
      if (record.transaction > transaction) {
        if (open === 0) engine.begin()
        apply(engine, operations, file, record.transaction)
        open += 1
        if (open >= APPLIED_TOGETHER) flush()
        transaction = record.transaction
        count += 1
        bytes += record.end - offset
      }
      last = record.transaction
      offset = record.end
    }
    flush()
    const { isClosed } = segment.mark
    if (offset < segment.mark.offset || (!isClosed && nextStart !== undefined && last !== nextStart)) {
      throw damagedSegment(file, offset, transaction, 'a record that had been acknowledged does not verify')
    }
    if (next !== undefined && nextStart !== undefined && last !== nextStart)
      throw missing(next.file, last, nextStart)
    used.push({ file, end: last })
    const wasCut = !isClosed && !isZero(segment, offset)
    if (next === undefined) tail = { file, offset, wasCut, isClosed }
  }
  return { transaction, count, bytes, tail, used }
}

type Source = { readonly file: string; segment(): Segment | undefined; release(): void }

/** Reads its segment when first asked, keeps it until released: only the one applied and the next are in memory. */
function sourceOf(file: string): Source {
  let read: { readonly segment: Segment | undefined } | undefined
  return {
    file,
    segment() {
      read ??= { segment: readSegment(file) }
      return read.segment
    },
    release() {
      read = undefined
    },
  }
}

function isZero(segment: Segment, offset: number): boolean {
  const rest = segment.bytes.subarray(offset, offset + 4096)
  return rest.equals(Buffer.alloc(rest.length))
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

function apply(
  engine: Engine,
  operations: ReturnType<typeof decodeOperations>,
  file: string,
  transaction: number,
): void {
  try {
    for (const { sql, parameters } of operations) engine.apply(sql, parameters)
  } catch (error) {
    engine.rollback()
    const reason = `transaction ${transaction} in ${basename(file)} does not apply to the snapshot: ${messageOf(error)}`
    throw new StoreError('damaged', `The journal and the snapshot do not fit: ${reason}.`, { cause: error })
  }
}

function damagedSegment(file: string, offset: number, transaction: number, reason: string): StoreError {
  return new StoreError(
    'damaged',
    `The journal is damaged: ${basename(file)} at byte ${offset}: ${reason}. Everything up to transaction ${transaction} can be read.`,
  )
}

function missing(file: string, transaction: number, start: number): StoreError {
  return new StoreError(
    'damaged',
    `The journal has a gap: transactions ${transaction + 1} to ${start} are missing before ${basename(file)}.`,
  )
}
