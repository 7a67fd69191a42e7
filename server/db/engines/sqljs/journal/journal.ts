import { fail } from '../../../../lib/fail.ts'
import { isNoSpace } from '../../../../lib/no-space.ts'
import { stopReason } from '../../../errors.ts'
import { encodeOperations, type Operation } from '../format/operations.ts'
import { FRAME_BYTES, RECORDS_AT, type SegmentHeader, sealRecord } from '../format/segment.ts'
import type { Fence } from '../lock/fence.ts'
import type { RecordTarget } from '../record/guard.ts'
import type { JournalJob } from './journal-jobs.ts'
import { startJournalThread } from './journal-thread.ts'
import type { Room } from './preallocation.ts'

/*
 * The journal, on the side of the event loop. The formats on disk are described in segment.ts (the file, its
 * marks, a record's frame), codec.ts (a record's body) and files.ts (the folder). journal-thread.ts connects
 * to the thread that writes (journal.worker.ts).
 *
 *   reserve → COMMIT → append → one job to the thread (write, mark, fdatasync) → waiters resolve, in order
 *
 * Records that are appended during a job share the next one: group commit without a timer.
 */

/** A record whose space on disk is reserved, so that appending it after COMMIT cannot run out of space. */
export type Reservation = { readonly record: Buffer; readonly added: readonly string[] }

export type ClosedSegment = { readonly file: string; readonly sequence: number; readonly end: number }

export type Journal = {
  /**
   * Encodes operations and reserves space, one reservation at a time. Throws the disk's error if there is
   * none. See `Room.take` for `isEssential`.
   */
  reserve(operations: readonly Operation[], isEssential: boolean): Reservation | Promise<Reservation>
  /** Numbers the record and sends it to the thread. If it cannot be written, the store stops. */
  append(reservation: Reservation): number
  /** Calls `then` and resolves once `transaction` is on disk, in the order of transactions. */
  whenSynced(transaction: number, then?: () => void): Promise<void>
  /** Starts a new segment, so that closed ones contain every committed transaction. Resolves when durable. */
  rotate(): Promise<void>
  /** Closed segments, oldest first; `end` is the last transaction in each. */
  closed(): readonly ClosedSegment[]
  forget(sequence: number): void
  committed(): number
  synced(): number
  /** Bytes and transactions that this process appended. */
  appended(): { readonly bytes: number; readonly transactions: number }
  close(): Promise<void>
}

type Queued =
  | { readonly op: 'append'; readonly record: Buffer; readonly transaction: number; readonly offset: number }
  | Exclude<JournalJob, { op: 'append' }>
type Waiter = {
  readonly transaction: number
  readonly then: (() => void) | undefined
  readonly resolve: () => void
  readonly reject: (error: Error) => void
}

/** Groups up to this size are passed to the thread in one reused shared buffer. */
const STAGING_BYTES = 1024 * 1024

export async function createJournal(options: {
  readonly room: Room
  readonly transaction: number
  /** Segments of earlier processes, up to `transaction`. */
  readonly closed: readonly ClosedSegment[]
  readonly fence: Fence
  readonly record: RecordTarget | undefined
  readonly onFailed: (error: Error) => void
}): Promise<Journal> {
  const { room } = options
  const staging = new Uint8Array(new SharedArrayBuffer(STAGING_BYTES))

  let committed = options.transaction
  let synced = options.transaction
  let current: (SegmentHeader & { readonly file: string }) | undefined
  let offset = 0
  let dictionary = new Map<string, number>()
  let inFlight: { readonly transaction: number; readonly op: JournalJob['op'] } | undefined
  let failure: Error | undefined
  let bytesAppended = 0
  const closed: ClosedSegment[] = [...options.closed]
  const queue: Queued[] = []
  const waiters: Waiter[] = []
  const idlers: (() => void)[] = []

  const thread = startJournalThread({
    fence: options.fence,
    record: options.record,
    onDone() {
      if (inFlight !== undefined) synced = inFlight.transaction
      inFlight = undefined
      release()
      pump()
      for (const wake of idlers.splice(0)) wake()
    },
    onFailed: stop,
  })

  function stop(error: Error): void {
    if (failure !== undefined) return
    failure = error
    for (const waiter of waiters.splice(0)) waiter.reject(unavailable())
    for (const wake of idlers.splice(0)) wake()
    options.onFailed(error)
  }

  function unavailable(): Error {
    return fail('store.unavailable', { detail: stopReason(failure), cause: failure })
  }

  function release(): void {
    let count = 0
    for (const waiter of waiters) {
      if (waiter.transaction > synced) break
      waiter.then?.()
      waiter.resolve()
      count += 1
    }
    waiters.splice(0, count)
  }

  /** Sends the next job to the thread. Records that are appended meanwhile share the next sync. */
  function pump(): void {
    const first = queue[0]
    if (inFlight !== undefined || first === undefined || failure !== undefined) return
    if (first.op !== 'append') {
      queue.shift()
      inFlight = { transaction: synced, op: first.op }
      thread.post(first)
      return
    }
    let count = 0
    let length = 0
    let transaction = first.transaction
    for (const queued of queue) {
      if (queued.op !== 'append') break
      count += 1
      length += queued.record.length
      transaction = queued.transaction
    }
    const shared = length <= STAGING_BYTES ? staging : new Uint8Array(new SharedArrayBuffer(length))
    let at = 0
    for (const queued of queue.splice(0, count)) {
      if (queued.op !== 'append') continue
      shared.set(queued.record, at)
      at += queued.record.length
    }
    inFlight = { transaction, op: 'append' }
    thread.post({ op: 'append', offset: first.offset, bytes: shared.subarray(0, length), transaction })
  }

  const encode = (operations: readonly Operation[]): Reservation =>
    encodeOperations(operations, dictionary, FRAME_BYTES)

  async function turn(bytes: number, isEssential: boolean): Promise<void> {
    const next = await room.take(bytes, isEssential)
    if (current !== undefined) closed.push({ file: current.file, sequence: current.sequence, end: committed })
    current = next
    offset = RECORDS_AT
    dictionary = new Map()
    queue.push({ op: 'turn', file: next.file, sequence: next.sequence, salt: next.salt, start: committed })
    pump()
    room.prepare()
  }

  async function reserveInNext(operations: readonly Operation[], isEssential: boolean): Promise<Reservation> {
    // An empty dictionary makes the record longest.
    const { record } = encodeOperations(operations, new Map(), FRAME_BYTES)
    await turn(record.length, isEssential)
    return encode(operations)
  }

  const journal: Journal = {
    reserve(operations, isEssential) {
      const encoded = encode(operations)
      const fits = current !== undefined && offset + encoded.record.length <= current.capacity
      return fits ? encoded : reserveInNext(operations, isEssential)
    },
    append({ record, added }) {
      if (current === undefined) throw new Error('the journal has no segment')
      committed += 1
      sealRecord(record, committed, current.salt)
      for (const sql of added) dictionary.set(sql, dictionary.size)
      queue.push({ op: 'append', record, transaction: committed, offset })
      offset += record.length
      bytesAppended += record.length
      pump()
      return committed
    },
    whenSynced(transaction, then) {
      if (failure !== undefined) return Promise.reject(unavailable())
      if (transaction <= synced && waiters.length === 0) {
        then?.()
        return Promise.resolve()
      }
      return new Promise((resolve, reject) => waiters.push({ transaction, then, resolve, reject }))
    },
    async rotate() {
      if (offset > RECORDS_AT) await turn(0, false)
      await idle()
    },
    closed: () => closed,
    forget(sequence) {
      const index = closed.findIndex((segment) => segment.sequence === sequence)
      if (index >= 0) closed.splice(index, 1)
    },
    committed: () => committed,
    synced: () => synced,
    appended: () => ({ bytes: bytesAppended, transactions: committed - options.transaction }),
    async close() {
      try {
        if (failure === undefined) {
          queue.push({ op: 'close' })
          pump()
          await idle()
        }
      } finally {
        await thread.end()
        await room.close()
      }
    },
  }

  /** Resolves when every job is done. `whenSynced` cannot, because a `turn` job has no transaction. */
  async function idle(): Promise<void> {
    while (failure === undefined && (inFlight !== undefined || queue.length > 0)) {
      await new Promise<void>((resolve) => idlers.push(resolve))
    }
    if (failure !== undefined) throw unavailable()
  }

  try {
    await turn(0, true)
    await idle()
  } catch (error) {
    // On a full disk the store opens without a segment. The first write that finds space creates it.
    if (isNoSpace(error) && current === undefined) return journal
    await journal.close()
    throw error
  }
  return journal
}
