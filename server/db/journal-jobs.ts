import type { Fence } from './lock/fence.ts'
import type { RecordTarget } from './record/guard.ts'

/** What the journal asks of its thread. Jobs are done in order; the first that fails ends the thread's work. */
export type JournalJob =
  /** Close the segment in use and go on in `file`. `start` is the last transaction before it. */
  | {
      readonly op: 'turn'
      readonly file: string
      readonly sequence: number
      readonly salt: number
      readonly start: number
    }
  /** Write `bytes` at `offset` and sync; `transaction` is the last one in them. */
  | {
      readonly op: 'append'
      readonly offset: number
      readonly bytes: Uint8Array
      readonly transaction: number
    }
  /** Close the segment in use and end. */
  | { readonly op: 'close' }

export type JournalReply = { readonly error?: { readonly message: string; readonly code?: string } }

export type JournalThreadData = {
  readonly port: import('node:worker_threads').MessagePort
  /** Cell 0 counts the jobs posted: the thread sleeps on it. */
  readonly bell: Int32Array<SharedArrayBuffer>
  readonly fence: Fence
  readonly record: RecordTarget | undefined
}
