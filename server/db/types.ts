import type { Kysely } from 'kysely'
import type { Schema } from './schema/schema.ts'

/** The first argument of a store's functions: `db.read` outside a transaction, `tx.q` inside one. */
export type Query = Kysely<Schema>

/**
 * One open transaction. Inside `write` use only this: a read through `db.read` would wait for the transaction
 * it is in.
 */
export type Tx = {
  readonly q: Query
  /**
   * Runs `callback` once, in commit order, after this transaction is on disk. It does not run after a
   * rollback.
   */
  afterCommit(callback: () => void): void
  /**
   * Runs `callback` once when later reads see the changes of this transaction: with SQLite immediately, because reads
   * wait until the transaction has ended, and with PostgreSQL after the commit. Call it after the last change.
   */
  whenVisible(callback: () => void): void
  /**
   * Runs `work` in a savepoint. If it throws, only its changes are rolled back (rows, journal, callbacks),
   * and the error is rethrown. Only one may run at a time; the transaction continues.
   */
  attempt<T>(work: () => Promise<T>): Promise<T>
}

export type WriteOptions = {
  /**
   * True for sign-in, deletion and retention, which continue when MAX_STORE_MB is reached or the disk is
   * full. Other writes then fail with `store.full`.
   */
  readonly evenWhenFull?: boolean
  /** True if the transaction makes hundreds of changes in sequence. Its time limit is then longer. */
  readonly isLong?: boolean
}

export type DbStatus = {
  readonly state: 'open' | 'failed' | 'closed'
  /** Bytes of the in-memory database in use (pages in use × page size); 0 for another database. */
  readonly usedBytes: number
  /** 0: no limit. */
  readonly limitBytes: number
  readonly isFull: boolean
  /** Since when the disk has no space, or null. */
  readonly diskFullSince: Date | null
  /** Number of the newest committed transaction; `synced` is the newest one on disk. */
  readonly committed: number
  readonly synced: number
}

/**
 * The durable store: a database in memory with a journal and snapshots on disk, or PostgreSQL. Only `db/` knows
 * which engine runs.
 */
export type Db = {
  /** Runs reads. Each statement waits for an open transaction to end, so it never reads uncommitted rows. */
  readonly read: Query
  /**
   * Runs `work` as one transaction, one at a time. Resolves once it is on disk (group commit). Rolls back and
   * rethrows if `work` throws. Throws `store.full` (507) or `store.unavailable` (503) if the change cannot be
   * stored.
   */
  write<T>(work: (tx: Tx) => Promise<T>, options?: WriteOptions): Promise<T>
  /** Resolves when every transaction committed so far is on disk. A reply waits for it after reading. */
  settled(): Promise<void>
  /** Throws `store.unavailable` if the store cannot be read now. */
  check(): Promise<void>
  status(): DbStatus
  /**
   * Writes a new snapshot in a worker and removes segments that both remaining snapshots include. Does nothing if
   * the engine has no snapshots.
   */
  checkpoint(): Promise<void>
  /**
   * Writes a verified, self-contained SQLite file of the current state to `file`. Throws `backup.unsupported` (409) if
   * the database has backups of its own.
   */
  backup(file: string): Promise<{ sizeBytes: number }>
  close(): Promise<void>
}

/** Size of new partitions of the run log, for an engine that has partitions. */
export type PartitionUnit = 'day' | 'month'

/** The logger of the store; pino is compatible. */
export type StoreLogger = {
  info(details: object, message: string): void
  warn(details: object, message: string): void
  error(details: object, message: string): void
}
