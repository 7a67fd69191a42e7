import type { Clock } from '../../../lib/clock.ts'
import type { Migration } from '../../migrations/migration.ts'
import type { PeerLink } from '../../peer-link.ts'
import type { Db, StoreLogger } from '../../types.ts'
import type { Lock } from './lock/lock.ts'
import type { RestoredFrom } from './recovery/restore-marker.ts'

const MIB = 1024 * 1024
/** Sizes and times, which tests reduce. */
export type StoreTuning = {
  readonly segmentBytes: number
  readonly journalBytes: number
  readonly journalTransactions: number
  /** Time without a statement after which a transaction is rolled back, in milliseconds. */
  readonly transactionTimeoutMs: number
}

export const defaultTuning: StoreTuning = {
  segmentBytes: 8 * MIB,
  journalBytes: 32 * MIB,
  journalTransactions: 100_000,
  transactionTimeoutMs: 5000,
}

export type StoreOptions = {
  readonly folder: string
  /**
   * The data folder, which contains the record of what the store acknowledged (see record/). Undefined for a
   * store that is used alone.
   */
  readonly dataDir?: string
  /** Returns the newest audit entry proven outside the store, or null. */
  readonly knownAuditEntry?: () => Promise<number | null>
  /** MAX_STORE_MB in bytes. Above it, only writes with `evenWhenFull` are accepted. */
  readonly maxStoreBytes: number
  readonly logger: StoreLogger
  readonly clock?: Clock
  readonly migrations?: readonly Migration[]
  /**
   * Called when the disk or the engine failed permanently. Every request is refused then, and the process
   * should end.
   */
  readonly onFatal?: (error: Error) => void
  readonly tuning?: Partial<StoreTuning>
  /**
   * If true, closing also writes a snapshot of a small database. If false, only after the journal has grown.
   */
  readonly snapshotAtClose?: boolean
}

/** Options that tests of the whole service replace. */
export type StoreSubstitutes = Pick<StoreOptions, 'tuning' | 'snapshotAtClose'>

export type OpenedStore = {
  readonly db: Db
  readonly lock: Pick<Lock, 'announce' | 'localKey'>
  readonly isNew: boolean
  /** Changes when a backup is restored. Null if the file with it is missing or damaged. */
  readonly storeId: string | null
  /** Set at the first start after a restore. Call `clearRestore` once the audit log contains it. */
  readonly restoredFrom: RestoredFrom | null
  readonly clearRestore: () => void
  /** Connects the processes that use the same database. Null if this process has the store for itself. */
  readonly peers: PeerLink | null
}
