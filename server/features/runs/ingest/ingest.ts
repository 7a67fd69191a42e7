import type { AddBudgetUsage } from '../../../calls/intents/record.ts'
import type { NamedRun } from '../../../db/schema/run-columns.ts'
import type { Db } from '../../../db/types.ts'
import type { Bus } from '../../../history/events/bus.ts'
import type { ReadWriteLock } from '../../../lib/async/read-write-lock.ts'
import type { Context } from '../../../lib/context.ts'
import { Problem } from '../../../lib/fail.ts'
import type { RequestClient } from '../../../resources/connected-client.ts'
import type { PayloadHold, Payloads } from '../payloads/payload-files.ts'
import type { Compaction } from '../statistics/rollups/compaction.ts'
import type { NameDictionary } from '../store/names.store.ts'
import type { RunPartitions } from '../store/partitions.ts'
import type { RunSettings } from '../store/settings.ts'
import { createPayloadCapture } from './capture-payloads.ts'
import type { StoredRun, Submission } from './submission.ts'
import { findingsOf, problemOf } from './validate.ts'
import { createRunWriter, type SubmissionResult } from './write-runs.ts'

export type Ingest = { submit(submission: Submission): Promise<StoredRun[]> }

type Job = Submission & { resolve(stored: StoredRun[]): void; reject(error: unknown): void }

export type IngestDeps = {
  readonly db: Db
  readonly lock: ReadWriteLock
  readonly names: NameDictionary
  readonly bus: Bus
  readonly payloads: Payloads
  readonly compaction: Pick<Compaction, 'added'>
  readonly partitions: Pick<RunPartitions, 'ensure'>
  readonly settings: () => RunSettings
  readonly clientOf: (ctx: Context) => RequestClient | null
  readonly hashEndUser: (endUser: string) => string
  /** Receives the runs of a transaction when they are on disk. It must not throw. */
  readonly onStored?: (runs: readonly NamedRun[]) => void
  /** Counts what calls with budgets used. */
  readonly addUsage?: AddBudgetUsage
  /** Receives errors for which no submission is rejected. */
  readonly onError: (error: unknown) => void
}

const maxRunsPerTransaction = 500

/**
 * Creates the ingest. Submissions that wait for the same sync share a transaction, which gives most of the
 * throughput with 50 concurrent callers.
 */
export function createIngest(deps: IngestDeps): Ingest {
  const queue: Job[] = []
  const store = createBatchStore(deps)
  let isRunning = false

  async function run(): Promise<void> {
    isRunning = true
    while (queue.length > 0) {
      const jobs = takeBatch(queue)
      // The next transaction is filled while this one is synced; submissions that arrive meanwhile share it.
      await new Promise<void>((resolve) => void store(jobs, resolve).then(resolve))
    }
    isRunning = false
  }

  return {
    submit: (submission) =>
      new Promise((resolve, reject) => {
        queue.push({ ...submission, resolve, reject })
        if (!isRunning) void run()
      }),
  }
}

/** Removes the jobs of the next transaction from the queue: at least one, and a limited number of runs. */
function takeBatch(queue: Job[]): Job[] {
  let size = 0
  let count = 0
  for (const { reports } of queue) {
    if (count > 0 && size + reports.length > maxRunsPerTransaction) break
    size += reports.length
    count += 1
  }
  return queue.splice(0, count)
}

/**
 * Resolves or rejects every job. Calls `onWritten` when its statements are done and only the disk is awaited.
 */
type BatchStore = (jobs: readonly Job[], onWritten: () => void, evenWhenFull?: boolean) => Promise<void>

function createBatchStore(deps: IngestDeps): BatchStore {
  const { db, lock } = deps
  const payloadCapture = createPayloadCapture(deps)
  const write = createRunWriter({ ...deps, onAssigned: payloadCapture.assigned })

  async function storeBatch(
    jobs: readonly Job[],
    onWritten: () => void,
    evenWhenFull: boolean,
    hold: PayloadHold,
  ): Promise<void> {
    const settings = deps.settings()
    const valid = jobs.filter((job) => isValid(job, settings))
    const [first] = valid
    if (first === undefined) return
    const captured = await payloadCapture.capture(
      valid.flatMap((job) => job.reports),
      { setting: settings.capture, now: first.ctx.now, evenWhenFull, hold },
    )
    const results = await lock.write((release) =>
      db.write(
        async (tx) => {
          const written = await write(tx, valid, captured, settings)
          tx.whenVisible(release)
          onWritten()
          return written
        },
        { evenWhenFull },
      ),
    )
    // Released first: a search after the reply must find the runs.
    hold.release()
    for (const [index, job] of valid.entries()) complete(job, results[index])
  }

  /** Stores parts of the jobs after an error, if that may succeed, and rejects the rest. */
  async function retry(
    jobs: readonly Job[],
    error: unknown,
    onWritten: () => void,
    evenWhenFull: boolean,
  ): Promise<void> {
    const withClaim = evenWhenFull ? [] : jobs.filter(({ claim }) => claim !== undefined)
    if (isFull(error) && withClaim.length > 0) {
      rejectAll(
        jobs.filter(({ claim }) => claim === undefined),
        error,
      )
      await store(withClaim, onWritten, true)
    } else if (jobs.length === 1 || error instanceof Problem) rejectAll(jobs, error)
    // One job may be the cause, so each is tried alone.
    else for (const job of jobs) await store([job], () => undefined, evenWhenFull)
  }

  const store: BatchStore = async (jobs, onWritten, evenWhenFull = false) => {
    const hold = deps.payloads.hold()
    try {
      await storeBatch(jobs, onWritten, evenWhenFull, hold)
    } catch (error) {
      hold.release()
      await retry(jobs, error, onWritten, evenWhenFull)
    } finally {
      hold.release()
    }
  }
  return store
}

function rejectAll(jobs: readonly Job[], error: unknown): void {
  for (const job of jobs) job.reject(error)
}

const isFull = (error: unknown): boolean => error instanceof Problem && error.code === 'store.full'

/** Rejects a job with an invalid report, and returns false. The service's own reports are valid. */
function isValid(job: Job, settings: RunSettings): boolean {
  const { reports, isBatch, isReported, ctx } = job
  if (!isReported) return true
  const now = ctx.now.getTime()
  const problem = problemOf(
    reports.flatMap((report, index) => findingsOf(report, isBatch ? index : null, now, settings)),
  )
  if (problem !== null) job.reject(problem)
  return problem === null
}

function complete(job: Job, result: SubmissionResult | undefined): void {
  if (result instanceof Problem) job.reject(result)
  else job.resolve([...(result ?? [])])
}
