import type { Kysely } from 'kysely'
import type { Schema } from './schema.ts'

/** What a store takes as its first argument: `db.read` outside a transaction, `tx.q` inside one. */
export type Query = Kysely<Schema>

/** One open transaction. Inside `write` only this exists: a read through `db.read` there would wait for itself. */
export type Tx = {
  readonly q: Query
  /** Runs `then` once, in commit order, after this transaction is synced to disk; never when it rolled back. */
  afterCommit(then: () => void): void
  /**
   * Runs `work` under a savepoint: when it throws, only what it did is undone (rows, journal, callbacks) and the error
   * comes out. One at a time; the rest of the transaction goes on.
   */
  attempt<T>(work: () => Promise<T>): Promise<T>
}

export type WriteOptions = {
  /** Sign-in, deletion and retention go on when MAX_STORE_MB is reached or the disk is full; everything else is refused with `store.full`. */
  readonly evenWhenFull?: boolean
  /** Changes hundreds of things one after the other: it is given more time before it counts as waiting for itself. */
  readonly isLong?: boolean
}

export type DbStatus = {
  readonly state: 'open' | 'failed' | 'closed'
  /** Bytes of the database in memory that are in use (pages in use × page size). */
  readonly usedBytes: number
  readonly limitBytes: number
  readonly isFull: boolean
  /** Since when the disk refuses room; null while it does not. */
  readonly diskFullSince: Date | null
  /** Number of the newest committed transaction, and of the newest one on disk. */
  readonly committed: number
  readonly synced: number
}

/** The durable store: a database in memory, a journal and snapshots on disk. Nothing outside `db/` knows which engine runs. */
export type Db = {
  /** Reads; each statement waits for an open transaction to end, so it never sees uncommitted rows. */
  readonly read: Query
  /**
   * Runs `work` as one transaction, one at a time; resolves once it is on disk (group commit).
   * Throws what `work` threw after rolling back; `store.full` (507) or `store.unavailable` (503) when it cannot be kept.
   */
  write<T>(work: (tx: Tx) => Promise<T>, options?: WriteOptions): Promise<T>
  /** Resolves when every transaction committed so far is on disk. A reply that read anything waits for it. */
  settled(): Promise<void>
  status(): DbStatus
  /** Writes a new snapshot in the worker and drops journal segments two generations old. */
  checkpoint(): Promise<void>
  /** Writes a verified, self-contained SQLite file of the current state to `file`. */
  backup(file: string): Promise<{ sizeBytes: number }>
  close(): Promise<void>
}

/** What the store tells as it goes; pino fits. */
export type StoreLogger = {
  info(details: object, message: string): void
  warn(details: object, message: string): void
  error(details: object, message: string): void
}
