import { join } from 'node:path'
import { renameSync } from '../../../../disk/fs.ts'
import { isNoSpace } from '../../../../lib/files/no-space.ts'
import { messageOf } from '../../../../lib/text/message-of.ts'
import { StoreError } from '../../../errors.ts'
import type { StoreLogger } from '../../../types.ts'
import { fileStamp } from '../format/folder.ts'
import {
  type FoundStore,
  findMissing,
  findMissingEntries,
  hintsOf,
  noHints,
  type SegmentHints,
} from './compare.ts'
import { ensureStoreId, readStoreId } from './identity.ts'
import {
  createRecord,
  readRecord,
  recordName,
  removeTemporaryRecords,
  type StoreRecord,
} from './record-file.ts'

/** The data with which the journal's thread updates the record. */
export type RecordTarget = { readonly dataDir: string; readonly record: StoreRecord }

/** Compares a store with what is recorded outside its folder. */
export type RecordGuard = {
  readonly hints: SegmentHints
  /** Throws a `StoreError` if the store has less than was acknowledged. */
  accept(found: Omit<FoundStore, 'storeId'>): void
  /**
   * Creates the store's id and the record if they do not exist. Returns undefined if no record is used, or
   * if the disk is full.
   */
  begin(transaction: number): RecordTarget | undefined
}

export type GuardOptions = {
  readonly folder: string
  /** The data folder. Undefined for a store that is used alone, without a record. */
  readonly dataDir: string | undefined
  /** The newest audit entry proven outside the store, or null. */
  readonly knownAuditEntry: number | null
  /** Time of a restore that is not in the audit log yet, or null. */
  readonly restoredAt: string | null
  readonly now: Date
  readonly logger: StoreLogger
}

export function createRecordGuard(options: GuardOptions): RecordGuard {
  const { folder, dataDir, restoredAt } = options
  if (dataDir === undefined) return { hints: noHints, accept: () => {}, begin: () => undefined }
  const state = readRecord(dataDir)
  // A crash interrupted a restore before it wrote the record, so the record describes the replaced store.
  const isSuperseded = state.kind === 'read' && restoredAt !== null && state.record.restored_at !== restoredAt
  const record = state.kind === 'read' && !isSuperseded ? state.record : undefined
  return {
    hints: record === undefined ? noHints : hintsOf(record),
    accept(found) {
      const isLost = state.kind === 'damaged' && found.transaction === 0
      const missing =
        (record === undefined ? null : findMissing(record, { ...found, storeId: readStoreId(folder) })) ??
        (isLost ? `the store is empty, but ${recordName} (damaged) shows that there was one` : null) ??
        (restoredAt === null
          ? findMissingEntries(options.knownAuditEntry, { ...found, storeId: null })
          : null)
      if (missing !== null) throw new StoreError('incomplete', `Data is missing in ${folder}: ${missing}.`)
    },
    begin(transaction) {
      try {
        removeTemporaryRecords(dataDir)
        return begin({ options, dataDir, transaction, record, isDamaged: state.kind === 'damaged' })
      } catch (error) {
        if (!isNoSpace(error)) throw error
        options.logger.warn(
          { reason: messageOf(error) },
          `the disk is full: ${recordName} is written at the next start with enough space`,
        )
        return undefined
      }
    },
  }
}

function begin(input: {
  readonly options: GuardOptions
  readonly dataDir: string
  readonly transaction: number
  readonly record: StoreRecord | undefined
  readonly isDamaged: boolean
}): RecordTarget {
  const { dataDir, transaction, record, isDamaged } = input
  const { folder, logger, now, restoredAt } = input.options
  const storeId = ensureStoreId(folder, record?.store_id ?? null)
  if (record !== undefined) return { dataDir, record: { ...record, store_id: storeId } }
  if (isDamaged) {
    const damagedName = `${recordName}.damaged-${fileStamp(now)}`
    renameSync(join(dataDir, recordName), join(dataDir, damagedName))
    logger.warn(
      { file: damagedName },
      `${recordName} was damaged and set aside; the store is complete as far as the audit log proves`,
    )
  }
  const adopted = newRecord(storeId, transaction, restoredAt)
  createRecord(dataDir, adopted)
  logger.info(
    { transaction, file: recordName },
    'recorded the store outside its folder; later starts compare it',
  )
  return { dataDir, record: adopted }
}

/** Returns the first record of a store, without a segment. */
export function newRecord(storeId: string, transaction: number, restoredAt: string | null): StoreRecord {
  return {
    count: 1,
    store_id: storeId,
    segment: null,
    transaction,
    is_clean: true,
    restored_at: restoredAt,
  }
}
