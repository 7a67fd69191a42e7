/**
 * The thread that writes and syncs the journal. It waits on shared memory instead of an event loop and uses
 * synchronous calls, so neither gzip in the thread pool nor a busy event loop delays a sync.
 */

import { receiveMessageOnPort, workerData } from 'node:worker_threads'
import {
  closeSync,
  fdatasyncSync,
  fsyncSync,
  ftruncateSync,
  openSync,
  writeSync,
} from '../../../../disk/fs.ts'
import { encodeMark, RECORDS_AT } from '../format/segment.ts'
import { assertOwned } from '../lock/fence.ts'
import { createRecorder, type Recorder } from '../record/recorder.ts'
import { takeJob } from './job-memory.ts'
import type { JournalJob, JournalReply, JournalThreadData } from './journal-jobs.ts'

/**
 * Idle time before the mark of the last sync is synced too, in milliseconds. Damage before the mark is then
 * recognized as damage rather than an unfinished write.
 */
const IDLE_MS = 50

const { port, memory, fence } = workerData as JournalThreadData

type OpenSegment = { handle: number; salt: number; start: number; count: number }
let recorder: Recorder = createRecorder(undefined)
let segment: OpenSegment | undefined
let synced = { offset: RECORDS_AT, transaction: 0 }
let markedOffset = RECORDS_AT
/** True if no mark was written after the last sync. */
let isMarkSynced = true

function openedSegment(): OpenSegment {
  if (segment === undefined) throw new Error('no segment is open')
  return segment
}

function writeAll(handle: number, bytes: Uint8Array, offset: number): void {
  for (let done = 0; done < bytes.length; ) {
    done += writeSync(handle, bytes, done, bytes.length - done, offset + done)
  }
}

function writeMark(isClosed: boolean): void {
  const open = openedSegment()
  open.count += 1
  const mark = { count: open.count, start: open.start, ...synced, isClosed }
  const { bytes, at } = encodeMark(mark, open.salt)
  writeAll(open.handle, bytes, at)
  markedOffset = synced.offset
  isMarkSynced = false
}

function closeSegment(): void {
  if (segment === undefined) return
  assertOwned(fence)
  writeMark(true)
  fsyncSync(segment.handle)
  assertOwned(fence)
  // Releases the unused part of the preallocated segment.
  ftruncateSync(segment.handle, synced.offset)
  fsyncSync(segment.handle)
  closeSync(segment.handle)
  segment = undefined
}

function rotate(job: Extract<JournalJob, { op: 'rotate' }>): void {
  closeSegment()
  assertOwned(fence)
  segment = { handle: openSync(job.file, 'r+'), salt: job.salt, start: job.start, count: 0 }
  synced = { offset: RECORDS_AT, transaction: job.start }
  writeMark(false)
  fdatasyncSync(segment.handle)
  isMarkSynced = true
  assertOwned(fence)
  recorder.opened({ sequence: job.sequence, salt: job.salt, start: job.start })
}

function close(): void {
  if (segment === undefined) return
  closeSegment()
  assertOwned(fence)
  recorder.closed(synced.transaction)
}

function append(job: Extract<JournalJob, { op: 'append' }>): void {
  const { handle } = openedSegment()
  assertOwned(fence)
  writeAll(handle, job.bytes, job.offset)
  fdatasyncSync(handle)
  isMarkSynced = true
  // If this process still owns the folder after the sync, the next owner reads this record. So it may be
  // acknowledged.
  assertOwned(fence)
  synced = { offset: job.offset + job.bytes.length, transaction: job.transaction }
}

/** Runs one job. Returns false after the last one. */
function runJob(job: JournalJob): boolean {
  if (job.op === 'begin') recorder = createRecorder(job.record)
  else if (job.op === 'rotate') rotate(job)
  else if (job.op === 'append') append(job)
  else close()
  return job.op !== 'close'
}

/** Writes the mark of the last sync. The sync of the next job covers it, so no job waits for it. */
function updateMark(): void {
  if (segment === undefined || markedOffset === synced.offset) return
  assertOwned(fence)
  writeMark(false)
}

/** Syncs the mark of the last sync if no job did. */
function syncMark(): void {
  if (segment === undefined || isMarkSynced) return
  assertOwned(fence)
  fdatasyncSync(segment.handle)
  isMarkSynced = true
}

/**
 * Waits until there are more than `seen` jobs. Only the count decides: if the system suspends the main thread between counting
 * and waking, the wake arrives after its job has run.
 */
function waitForJob(seen: number): void {
  const { jobCount } = memory
  let limit = IDLE_MS
  while (Atomics.load(jobCount, 0) === seen) {
    if (Atomics.wait(jobCount, 0, seen, limit) !== 'timed-out') continue
    syncMark()
    limit = Number.POSITIVE_INFINITY
  }
}

function nextJob(): JournalJob {
  const job = takeJob(memory) ?? receiveMessageOnPort(port)?.message
  if (job === undefined) throw new Error('there is no job')
  return job
}

function runJobs(): void {
  for (let seen = 0; ; seen = (seen + 1) | 0) {
    waitForJob(seen)
    const isContinuing = runJob(nextJob())
    port.postMessage({} satisfies JournalReply)
    if (!isContinuing) return
    updateMark()
  }
}

try {
  runJobs()
} catch (error) {
  const { message, code } = error as NodeJS.ErrnoException
  port.postMessage({ error: code === undefined ? { message } : { message, code } } satisfies JournalReply)
}
port.close()
