import { fileNames } from '../format/folder.ts'
import type { StoreRecord } from './record-file.ts'

/** The content of a store folder that is compared with the record outside it. */
export type FoundStore = {
  readonly storeId: string | null
  /** The last transaction; 0 if the store is empty. */
  readonly transaction: number
  /** Used segments of the journal; `start` is the last transaction before the segment. */
  readonly segments: readonly { readonly sequence: number; readonly salt: number; readonly start: number }[]
  /** Number of the newest entry of the audit log. */
  readonly auditEntry: number
}

/**
 * Returns why the store has less than was acknowledged, or null if it has everything. It may have more than
 * the record: a crash can happen between a new segment and its record, and older versions write no record.
 */
export function findMissing(record: StoreRecord, found: FoundStore): string | null {
  const { segment, transaction } = record
  if (found.storeId !== null && found.storeId !== record.store_id) {
    return `store/ is not the store that this data folder was used with (its id is ${found.storeId}, recorded is ${record.store_id})`
  }
  if (found.transaction < transaction) {
    const extent = found.transaction === 0 ? 'is empty' : `ends with transaction ${found.transaction}`
    return `the store ${extent}, but transactions up to ${transaction} were acknowledged`
  }
  if (record.is_clean || segment === null) return null
  const name = fileNames.segment(segment.sequence)
  const isPresent = found.segments.some(
    ({ sequence, salt }) => sequence === segment.sequence && salt === segment.salt,
  )
  // A later segment starts where the recorded one ended, and replay proved that nothing is missing before it.
  const isPassed = found.segments.some(
    ({ sequence, start }) => sequence > segment.sequence && start >= segment.start,
  )
  if (isPresent || isPassed) return null
  const isReplaced = found.segments.some(({ sequence }) => sequence === segment.sequence)
  const state = isReplaced ? 'is not the file that was recorded' : 'is missing or was emptied'
  return `${name}, the newest segment of the journal, ${state}; transactions after ${segment.start} were acknowledged in it`
}

/** Returns why the audit log is shorter than its signed head file proves, or null. */
export function findMissingEntries(known: number | null, found: FoundStore): string | null {
  if (known === null || known <= found.auditEntry) return null
  const last = found.auditEntry === 0 ? 'has no entry' : `ends with entry ${found.auditEntry}`
  return `the audit log in the store ${last}, but audit-head.json proves that entry ${known} was written`
}

/**
 * Facts from the record about unreadable segments, which let replay continue if they contain nothing
 * acknowledged.
 */
export type SegmentHints = {
  /** Returns the salt of a segment whose header may be damaged, if known. */
  saltOf(sequence: number): number | undefined
  /**
   * Returns true if the record proves that nothing after `transaction` was acknowledged in this segment;
   * undefined without a record.
   */
  isUnneeded(sequence: number, transaction: number): boolean | undefined
}

export const noHints: SegmentHints = { saltOf: () => undefined, isUnneeded: () => undefined }

/** Returns the facts that a record contains about segments. */
export function hintsOf(record: StoreRecord): SegmentHints {
  const { segment, is_clean, transaction: last } = record
  return {
    saltOf: (sequence) => (sequence === segment?.sequence ? segment.salt : undefined),
    isUnneeded(sequence, transaction) {
      if (is_clean) return last <= transaction
      // A segment is recorded before the first acknowledgement of a transaction in it.
      return segment !== null && sequence > segment.sequence
    },
  }
}
