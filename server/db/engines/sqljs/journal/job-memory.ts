import type { JobMemory, JournalJob } from './journal-jobs.ts'

type Append = Extract<JournalJob, { op: 'append' }>

/** Larger appends are passed as messages. */
const STAGING_BYTES = 1024 * 1024

export const createJobMemory = (): JobMemory => ({
  jobCount: new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT)),
  staging: new Uint8Array(new SharedArrayBuffer(STAGING_BYTES)),
  append: new Float64Array(new SharedArrayBuffer(3 * Float64Array.BYTES_PER_ELEMENT)),
})

/** Stores an append whose bytes are in `staging`. Returns false for any other job. */
export function putJob({ staging, append }: JobMemory, job: JournalJob): boolean {
  if (job.op !== 'append' || job.bytes.buffer !== staging.buffer) return false
  append.set([job.offset, job.bytes.length, job.transaction])
  return true
}

/** Removes and returns the stored append. Its bytes are valid until the reply to it. */
export function takeJob({ staging, append }: JobMemory): Append | undefined {
  const [offset = 0, length = 0, transaction = 0] = append
  if (length === 0) return undefined
  append[1] = 0
  return { op: 'append', offset, bytes: staging.subarray(0, length), transaction }
}

/** Wakes the thread after a job was stored or sent. */
export function announceJob({ jobCount }: JobMemory): void {
  Atomics.add(jobCount, 0, 1)
  Atomics.notify(jobCount, 0)
}
