import type { Clock } from '../lib/clock.ts'
import type { Lock } from './lock/lock.ts'
import type { Migration } from './migrations/index.ts'
import type { RestoredFrom } from './restored.ts'
import type { Db, StoreLogger } from './types.ts'

const MIB = 1024 * 1024
/** Figures a test makes small. */
export type StoreTuning = {
  readonly segmentBytes: number
  readonly journalBytes: number
  readonly journalTransactions: number
  readonly heldMs: number
}

export const usualTuning: StoreTuning = {
  segmentBytes: 8 * MIB,
  journalBytes: 32 * MIB,
  journalTransactions: 100_000,
  heldMs: 5000,
}

export type StoreOptions = {
  readonly folder: string
  /** The data folder: what the store acknowledged is recorded there, see record/. Undefined: a store by itself. */
  readonly dataDir?: string
  /** Returns the newest audit entry that is proven outside the store; null if none is. */
  readonly knownAuditEntry?: () => Promise<number | null>
  /** MAX_STORE_MB in bytes: from there on only `evenWhenFull` writes. */
  readonly maxStoreBytes: number
  readonly logger: StoreLogger
  readonly clock?: Clock
  readonly migrations?: readonly Migration[]
  /** The disk or the engine failed for good: everything is refused from now on and the process should end. */
  readonly onFatal?: (error: Error) => void
  readonly tuning?: Partial<StoreTuning>
  /** Also snapshot a store at its end when that takes no time to speak of; else only when the journal has grown. */
  readonly snapshotAtClose?: boolean
}

/** What a test of the whole service makes small or leaves out. */
export type StoreSubstitutes = Pick<StoreOptions, 'tuning' | 'snapshotAtClose'>

export type OpenedStore = {
  readonly db: Db
  readonly lock: Pick<Lock, 'announce'>
  readonly isNew: boolean
  /** The restore this is the first start after; `forgetRestore` once the audit log has it. */
  readonly restoredFrom: RestoredFrom | null
  readonly forgetRestore: () => void
}
