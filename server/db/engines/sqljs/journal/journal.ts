import { fail } from '../../../../lib/fail.ts'
import { isNoSpace } from '../../../../lib/files/no-space.ts'
import { stopReason } from '../../../errors.ts'
import { encodeOperations, type Operation } from '../format/operations.ts'
import { FRAME_BYTES, RECORDS_AT, writeFrame } from '../format/segment.ts'
import type { RecordTarget } from '../record/guard.ts'
import { createJobQueue, type JobQueue } from './job-queue.ts'
import type { JournalThread } from './journal-thread.ts'
import type { AllocatedSegment, SegmentAllocator } from './segment-allocator.ts'
import { createSyncWaiters, type SyncWaiters } from './sync-waiters.ts'

/*
 * The journal, on the side of the event loop. The formats on disk are described in format/: segment.ts (the
 * file, its marks, a record's frame), operations.ts (a record's body) and folder.ts (the folder).
 * journal-thread.ts connects to the thread that writes (journal.worker.ts).
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
   * none. See `SegmentAllocator.take` for `isEssential`.
   */
  reserve(operations: readonly Operation[], isEssential: boolean): Reservation | Promise<Reservation>
  /** Numbers the record and sends it to the thread. If it cannot be written, the store stops. */
  append(reservation: Reservation): number
  /** Calls `onSynced` and resolves once `transaction` is on disk, in the order of transactions. */
  whenSynced(transaction: number, onSynced?: () => void): Promise<void>
  /** Starts a new segment, so that closed ones contain every committed transaction. Resolves when durable. */
  rotate(): Promise<void>
  /** Closed segments, oldest first; `end` is the last transaction in each. */
  closed(): readonly ClosedSegment[]
  removeClosed(sequence: number): void
  committed(): number
  synced(): number
  /** Bytes and transactions that this process appended. */
  appended(): { readonly bytes: number; readonly transactions: number }
  close(): Promise<void>
}

type JournalOptions = {
  readonly thread: JournalThread
  readonly allocator: SegmentAllocator
  readonly transaction: number
  /** Segments of earlier processes, up to `transaction`. */
  readonly closed: readonly ClosedSegment[]
  readonly record: RecordTarget | undefined
  readonly onFailed: (error: Error) => void
}

type State = {
  readonly options: JournalOptions
  readonly jobs: JobQueue
  readonly waiters: SyncWaiters
  /** Callers that wait until every job is done. */
  readonly idleWaiters: (() => void)[]
  readonly closed: ClosedSegment[]
  committed: number
  synced: number
  /** The segment that is written, the offset of the next record, and the SQL texts it contains. */
  current: AllocatedSegment | undefined
  offset: number
  dictionary: Map<string, number>
  /** The job of the thread; `transaction` is the last one on disk when it is done. */
  inFlight: { readonly transaction: number } | undefined
  failure: Error | undefined
  bytesAppended: number
}

export async function createJournal(options: JournalOptions): Promise<Journal> {
  const state = createState(options)
  const journal = journalOf(state)
  state.jobs.push({ op: 'begin', record: options.record })
  try {
    await startSegment(state, 0, true)
    await untilIdle(state)
  } catch (error) {
    // On a full disk the store opens without a segment. The first write that finds space creates it.
    if (isNoSpace(error) && state.current === undefined) return journal
    await journal.close()
    throw error
  }
  return journal
}

function createState(options: JournalOptions): State {
  const { closed, thread, transaction } = options
  const state: State = {
    options,
    jobs: createJobQueue(thread.staging),
    waiters: createSyncWaiters(),
    idleWaiters: [],
    closed: [...closed],
    committed: transaction,
    synced: transaction,
    current: undefined,
    offset: 0,
    dictionary: new Map(),
    inFlight: undefined,
    failure: undefined,
    bytesAppended: 0,
  }
  thread.listen({ onDone: () => completeJob(state), onFailed: (error) => failJournal(state, error) })
  return state
}

function journalOf(state: State): Journal {
  const { closed, options } = state
  return {
    reserve(operations, isEssential) {
      const { current, offset } = state
      const encoded = encodeOperations(operations, state.dictionary, FRAME_BYTES)
      const fits = current !== undefined && offset + encoded.record.length <= current.capacity
      return fits ? encoded : reserveInNext(state, operations, isEssential)
    },
    append: (reservation) => append(state, reservation),
    whenSynced: (transaction, onSynced) => whenSynced(state, transaction, onSynced),
    async rotate() {
      if (state.offset > RECORDS_AT) await startSegment(state, 0, false)
      await untilIdle(state)
    },
    closed: () => closed,
    removeClosed(sequence) {
      const index = closed.findIndex((segment) => segment.sequence === sequence)
      if (index >= 0) closed.splice(index, 1)
    },
    committed: () => state.committed,
    synced: () => state.synced,
    appended: () => ({
      bytes: state.bytesAppended,
      transactions: state.committed - options.transaction,
    }),
    close: () => closeJournal(state),
  }
}

function completeJob(state: State): void {
  if (state.inFlight !== undefined) state.synced = state.inFlight.transaction
  state.inFlight = undefined
  state.waiters.release(state.synced)
  sendNextJob(state)
  for (const wake of state.idleWaiters.splice(0)) wake()
}

function failJournal(state: State, error: Error): void {
  if (state.failure !== undefined) return
  state.failure = error
  state.waiters.reject(() => unavailable(state))
  for (const wake of state.idleWaiters.splice(0)) wake()
  state.options.onFailed(error)
}

function unavailable({ failure }: State): Error {
  return fail('store.unavailable', { detail: stopReason(failure), cause: failure })
}

/** Sends the next job to the thread. Records that are appended meanwhile share the next sync. */
function sendNextJob(state: State): void {
  if (state.inFlight !== undefined || state.failure !== undefined) return
  const job = state.jobs.next()
  if (job === undefined) return
  state.inFlight = { transaction: job.op === 'append' ? job.transaction : state.synced }
  state.options.thread.post(job)
}

/** Continues in a new segment with space for a record of `bytes`. */
async function startSegment(state: State, bytes: number, isEssential: boolean): Promise<void> {
  const { allocator } = state.options
  const next = await allocator.take(bytes, isEssential)
  const { current, committed } = state
  if (current !== undefined)
    state.closed.push({ file: current.file, sequence: current.sequence, end: committed })
  state.current = next
  state.offset = RECORDS_AT
  state.dictionary = new Map()
  const { file, sequence, salt } = next
  state.jobs.push({ op: 'rotate', file, sequence, salt, start: committed })
  sendNextJob(state)
  allocator.prepare()
}

async function reserveInNext(
  state: State,
  operations: readonly Operation[],
  isEssential: boolean,
): Promise<Reservation> {
  // An empty dictionary makes the record longest.
  const { record } = encodeOperations(operations, new Map(), FRAME_BYTES)
  await startSegment(state, record.length, isEssential)
  return encodeOperations(operations, state.dictionary, FRAME_BYTES)
}

function append(state: State, { record, added }: Reservation): number {
  const { current, dictionary } = state
  if (current === undefined) throw new Error('the journal has no segment')
  state.committed += 1
  writeFrame(record, state.committed, current.salt)
  for (const sql of added) dictionary.set(sql, dictionary.size)
  state.jobs.push({ op: 'append', record, transaction: state.committed, offset: state.offset })
  state.offset += record.length
  state.bytesAppended += record.length
  sendNextJob(state)
  return state.committed
}

function whenSynced(state: State, transaction: number, onSynced?: () => void): Promise<void> {
  if (state.failure !== undefined) return Promise.reject(unavailable(state))
  if (transaction <= state.synced && state.waiters.isEmpty()) {
    onSynced?.()
    return Promise.resolve()
  }
  return state.waiters.wait(transaction, onSynced)
}

/** Resolves when every job is done. `whenSynced` cannot, because a `rotate` job has no transaction. */
async function untilIdle(state: State): Promise<void> {
  while (state.failure === undefined && (state.inFlight !== undefined || !state.jobs.isEmpty())) {
    await new Promise<void>((resolve) => state.idleWaiters.push(resolve))
  }
  if (state.failure !== undefined) throw unavailable(state)
}

async function closeJournal(state: State): Promise<void> {
  try {
    if (state.failure === undefined) {
      state.jobs.push({ op: 'close' })
      sendNextJob(state)
      await untilIdle(state)
    }
  } finally {
    await state.options.thread.end()
    await state.options.allocator.close()
  }
}
