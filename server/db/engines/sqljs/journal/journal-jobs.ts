import type { Fence } from '../lock/fence.ts'
import type { RecordTarget } from '../record/guard.ts'

/** A job of the journal thread. Jobs run in order; the thread ends at the first that fails. */
export type JournalJob =
  /** Names the record that the thread updates. The first job. */
  | { readonly op: 'begin'; readonly record: RecordTarget | undefined }
  /** Closes the current segment and continues in `file`. `start` is the last transaction before it. */
  | {
      readonly op: 'rotate'
      readonly file: string
      readonly sequence: number
      readonly salt: number
      readonly start: number
    }
  /** Writes `bytes` at `offset` and syncs. `transaction` is the last one in them. */
  | {
      readonly op: 'append'
      readonly offset: number
      readonly bytes: Uint8Array
      readonly transaction: number
    }
  /** Closes the current segment and ends the thread. */
  | { readonly op: 'close' }

/** The reply to one job. Without `error` the job is done and on disk. */
export type JournalReply = { readonly error?: { readonly message: string; readonly code?: string } }

/**
 * Memory that the journal shares with its thread. Appends are passed in it, because a message takes half as long again.
 * There is one job at a time, so it holds at most one.
 */
export type JobMemory = {
  /** Element 0 counts all jobs. It changes after the job is written, and the thread waits for it. */
  readonly jobCount: Int32Array<SharedArrayBuffer>
  readonly staging: Uint8Array<SharedArrayBuffer>
  /** Offset, length and transaction of the append whose bytes are in `staging`. The length is 0 if there is none. */
  readonly append: Float64Array<SharedArrayBuffer>
}

export type JournalThreadData = {
  readonly port: import('node:worker_threads').MessagePort
  readonly memory: JobMemory
  readonly fence: Fence
}
