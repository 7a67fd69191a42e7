import type { JournalJob } from './journal-jobs.ts'

/** A record that waits to be written at `offset`. */
export type QueuedAppend = {
  readonly op: 'append'
  readonly record: Buffer
  readonly transaction: number
  readonly offset: number
}
export type QueuedJob = QueuedAppend | Exclude<JournalJob, { op: 'append' }>

/** Jobs for the journal thread, first in, first out. Consecutive records become one job. */
export type JobQueue = {
  push(job: QueuedJob): void
  /** Removes and returns the next job. The previous one must be done, because both use `staging`. */
  next(): JournalJob | undefined
  isEmpty(): boolean
}

/** Creates a queue. `staging`: memory for the bytes of an append, if they fit. */
export function createJobQueue(staging: Uint8Array<SharedArrayBuffer>): JobQueue {
  const queue: QueuedJob[] = []
  return {
    push: (job) => void queue.push(job),
    next() {
      const first = queue[0]
      if (first === undefined) return undefined
      if (first.op === 'append') return groupOf(takeAppends(queue), first.offset, staging)
      queue.shift()
      return first
    },
    isEmpty: () => queue.length === 0,
  }
}

/** Removes and returns the records at the head of the queue. */
function takeAppends(queue: QueuedJob[]): QueuedAppend[] {
  const appends: QueuedAppend[] = []
  for (const queued of queue) {
    if (queued.op !== 'append') break
    appends.push(queued)
  }
  queue.splice(0, appends.length)
  return appends
}

function groupOf(appends: readonly QueuedAppend[], offset: number, staging: Uint8Array): JournalJob {
  let length = 0
  for (const { record } of appends) length += record.length
  const shared = length <= staging.length ? staging : new Uint8Array(new SharedArrayBuffer(length))
  let at = 0
  for (const { record } of appends) {
    shared.set(record, at)
    at += record.length
  }
  const transaction = appends.at(-1)?.transaction ?? 0
  return { op: 'append', offset, bytes: shared.subarray(0, length), transaction }
}
