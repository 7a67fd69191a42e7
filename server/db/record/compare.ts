import { fileNames } from '../files.ts'
import type { StoreRecord } from './record-file.ts'

/** What a store folder holds, as far as the record outside it can be compared. */
export type FoundStore = {
  readonly storeId: string | null
  /** The last transaction in it; 0 when it is empty. */
  readonly transaction: number
  /** Used segments of the journal; `start` is the last transaction before the segment. */
  readonly segments: readonly { readonly sequence: number; readonly salt: number; readonly start: number }[]
  /** The newest entry of the audit log in it. */
  readonly auditEntry: number
}

/**
 * Returns why the store holds less than was acknowledged, or null if it holds everything. A store may be ahead: a
 * crash can come between a new segment and its record, and an older version writes no record.
 */
export function findMissing(record: StoreRecord, found: FoundStore): string | null {
  const { segment, transaction } = record
  if (found.storeId !== null && found.storeId !== record.store_id) {
    return `store/ is not the store that this data folder was used with (its id is ${found.storeId}, recorded is ${record.store_id})`
  }
  if (found.transaction < transaction) {
    const what = found.transaction === 0 ? 'is empty' : `ends with transaction ${found.transaction}`
    return `the store ${what}, but transactions up to ${transaction} were acknowledged`
  }
  if (record.is_clean || segment === null) return null
  const name = fileNames.segment(segment.sequence)
  const isThere = found.segments.some(
    ({ sequence, salt }) => sequence === segment.sequence && salt === segment.salt,
  )
  // A later segment begins where the recorded one ended, and replay proved that nothing is missing before it.
  const isPassed = found.segments.some(
    ({ sequence, start }) => sequence > segment.sequence && start >= segment.start,
  )
  if (isThere || isPassed) return null
  const isReplaced = found.segments.some(({ sequence }) => sequence === segment.sequence)
  const state = isReplaced ? 'is not the file that was recorded' : 'is missing or was emptied'
  return `${name}, the newest segment of the journal, ${state}; transactions after ${segment.start} were acknowledged in it`
}

/** Returns why the audit log is shorter than what its signed head file proves, or null. */
export function findMissingEntries(known: number | null, found: FoundStore): string | null {
  if (known === null || known <= found.auditEntry) return null
  const last = found.auditEntry === 0 ? 'has no entry' : `ends with entry ${found.auditEntry}`
  return `the audit log in the store ${last}, but audit-head.json proves that entry ${known} was written`
}

/** Tells replay which unreadable segments hold nothing that was acknowledged. */
export type SegmentHints = {
  /** The salt of a segment whose header may be damaged. */
  saltOf(sequence: number): number | undefined
  /** True when the record proves that nothing after `transaction` was acknowledged in this segment. Undefined: unknown. */
  isUnneeded(sequence: number, transaction: number): boolean | undefined
}

export const noHints: SegmentHints = { saltOf: () => undefined, isUnneeded: () => undefined }

export function hintsOf(record: StoreRecord): SegmentHints {
  const { segment, is_clean, transaction: last } = record
  return {
    saltOf: (sequence) => (sequence === segment?.sequence ? segment.salt : undefined),
    isUnneeded(sequence, transaction) {
      if (is_clean) return last <= transaction
      // A segment is recorded before the first acknowledgement of what is in it.
      return segment !== null && sequence > segment.sequence
    },
  }
}
