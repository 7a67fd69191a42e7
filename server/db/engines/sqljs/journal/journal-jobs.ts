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

export type JournalThreadData = {
  readonly port: import('node:worker_threads').MessagePort
  /** Element 0 counts the jobs posted. The thread waits until it changes. */
  readonly wakeCounter: Int32Array<SharedArrayBuffer>
  readonly fence: Fence
}
