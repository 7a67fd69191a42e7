import { Worker } from 'node:worker_threads'
import { fail, serviceStopping } from '../fail.ts'
import type { JobMessage, JobReply } from './messages.ts'

/** A job that was ended because it used more time or memory than it may. */
export class JobLimitReached extends Error {
  readonly limit: 'time' | 'memory'
  constructor(limit: 'time' | 'memory') {
    super(limit === 'time' ? 'The job took too long and was stopped' : 'The job needed too much memory')
    this.name = 'JobLimitReached'
    this.limit = limit
  }
}

const maxThreads = 2
/** Heap of each thread, MiB. */
const maxMemoryMb = 128
/** Jobs of one owner that may wait. */
const maxWaitingPerOwner = 32
/** Time after which an unused thread is ended, in milliseconds. */
const idleMs = 30_000

export type JobOptions = {
  /** The caller: each owner has at most one active job, and owners are served in rotation. */
  readonly owner: string
  readonly timeoutMs: number
  readonly signal?: AbortSignal | undefined
}

export type WorkerPool = {
  /** Rejects with `JobLimitReached`, the signal's reason, or the error or `Problem` of the job. */
  run(kind: string, input: unknown, options: JobOptions): Promise<unknown>
  close(): Promise<void>
}

type Job = {
  readonly message: JobMessage
  readonly options: JobOptions
  readonly resolve: (output: unknown) => void
  readonly reject: (error: unknown) => void
}
type Thread = {
  readonly worker: Worker
  isReady: boolean
  job: Job | null
  timer: NodeJS.Timeout | null
}

/** Time to load the script, which has a limit separate from the job's, in milliseconds. */
const startLimitMs = 30_000

type Pool = {
  readonly script: URL
  readonly threads: Set<Thread>
  /** Waiting jobs by owner, in the order in which the owners are served. */
  readonly waiting: Map<string, Job[]>
  lastId: number
  idleTimer: NodeJS.Timeout | null
  isClosed: boolean
}

/**
 * A pool of worker threads for jobs of untrusted cost. A job that exceeds its time or memory is ended with
 * its thread. Owners are served in rotation, and no owner can occupy every thread.
 */
export function createWorkerPool(script: URL): WorkerPool {
  const pool: Pool = {
    script,
    threads: new Set(),
    waiting: new Map(),
    lastId: 0,
    idleTimer: null,
    isClosed: false,
  }
  return {
    run: (kind, input, jobOptions) =>
      new Promise((resolve, reject) => addJob(pool, { kind, input, options: jobOptions, resolve, reject })),
    close: () => closePool(pool),
  }
}

/** Adds a job and starts it if a thread is free. Throws if it may not wait. */
function addJob(
  pool: Pool,
  request: Pick<JobMessage, 'kind' | 'input'> & Pick<Job, 'options' | 'resolve' | 'reject'>,
): void {
  const { kind, input, options } = request
  const { owner, signal } = options
  if (pool.isClosed) throw serviceStopping()
  signal?.throwIfAborted()
  const jobs = pool.waiting.get(owner) ?? []
  if (jobs.length >= maxWaitingPerOwner)
    throw fail('rate_limited', {
      detail: 'Too many of your requests are waiting. Try again later.',
      retryAfter: 5,
    })
  pool.lastId += 1
  const onAbort = () => cancel(pool, job)
  const removeListener = () => signal?.removeEventListener('abort', onAbort)
  const job: Job = {
    message: { id: pool.lastId, kind, input },
    options,
    resolve(output) {
      removeListener()
      request.resolve(output)
    },
    reject(error) {
      removeListener()
      request.reject(error)
    },
  }
  jobs.push(job)
  pool.waiting.set(owner, jobs)
  startJobs(pool)
  signal?.addEventListener('abort', onAbort, { once: true })
}

/** Starts waiting jobs while threads are free, and ends unused threads after a time. */
function startJobs(pool: Pool): void {
  if (pool.isClosed) return
  for (;;) {
    const free = [...pool.threads].find(({ job }) => job === null)
    if (free === undefined && pool.threads.size >= maxThreads) return
    const job = takeJob(pool)
    if (job === null) break
    startJob(pool, free ?? startThread(pool), job)
  }
  if ([...pool.threads].every(({ job }) => job === null)) endThreadsWhenIdle(pool)
}

/**
 * Removes and returns the next job of the first owner without an active job. That owner moves to the end of
 * the rotation.
 */
function takeJob({ threads, waiting }: Pool): Job | null {
  const active = new Set([...threads].map(({ job }) => job?.options.owner))
  for (const [owner, jobs] of waiting) {
    if (active.has(owner)) continue
    waiting.delete(owner)
    const job = jobs.shift()
    if (jobs.length > 0) waiting.set(owner, jobs)
    if (job !== undefined) return job
  }
  return null
}

function startJob(pool: Pool, thread: Thread, job: Job): void {
  if (pool.idleTimer !== null) clearTimeout(pool.idleTimer)
  pool.idleTimer = null
  thread.job = job
  thread.worker.ref()
  limitTime(pool, thread, thread.isReady ? job.options.timeoutMs : startLimitMs)
  thread.worker.postMessage(job.message)
}

function startThread(pool: Pool): Thread {
  const worker = new Worker(pool.script, { resourceLimits: { maxOldGenerationSizeMb: maxMemoryMb } })
  const thread: Thread = { worker, isReady: false, job: null, timer: null }
  worker.on('message', (reply: JobReply) => receive(pool, thread, reply))
  worker.on('error', (error: NodeJS.ErrnoException) =>
    endThread(
      pool,
      thread,
      error.code === 'ERR_WORKER_OUT_OF_MEMORY' ? new JobLimitReached('memory') : error,
    ),
  )
  worker.on('exit', () => endThread(pool, thread, new Error('The worker thread ended')))
  pool.threads.add(thread)
  return thread
}

function receive(pool: Pool, thread: Thread, reply: JobReply): void {
  if ('ready' in reply) {
    thread.isReady = true
    if (thread.job !== null) limitTime(pool, thread, thread.job.options.timeoutMs)
    return
  }
  const { job } = thread
  if (job === null || job.message.id !== reply.id) return
  release(thread)
  if ('output' in reply) job.resolve(reply.output)
  else if ('problem' in reply) job.reject(fail(reply.problem.code, reply.problem.extra))
  else job.reject(new Error(reply.error))
  startJobs(pool)
}

/** Removes a thread that ended or must end, and rejects its job. */
function endThread(pool: Pool, thread: Thread, error: unknown): void {
  if (!pool.threads.delete(thread)) return
  const { job } = thread
  release(thread)
  void thread.worker.terminate()
  job?.reject(error)
  startJobs(pool)
}

function release(thread: Thread): void {
  if (thread.timer !== null) clearTimeout(thread.timer)
  thread.timer = null
  thread.job = null
  thread.worker.unref()
}

function limitTime(pool: Pool, thread: Thread, ms: number): void {
  if (thread.timer !== null) clearTimeout(thread.timer)
  thread.timer = setTimeout(() => endThread(pool, thread, new JobLimitReached('time')), ms)
}

function endThreadsWhenIdle(pool: Pool): void {
  if (pool.idleTimer !== null) clearTimeout(pool.idleTimer)
  pool.idleTimer = setTimeout(() => {
    for (const thread of pool.threads) if (thread.job === null) endThread(pool, thread, null)
  }, idleMs).unref()
}

/** Removes a job that waits, or ends the thread of one that runs. */
function cancel(pool: Pool, job: Job): void {
  const { owner, signal } = job.options
  const remaining = (pool.waiting.get(owner) ?? []).filter((waitingJob) => waitingJob !== job)
  if (remaining.length === 0) pool.waiting.delete(owner)
  else pool.waiting.set(owner, remaining)
  const thread = [...pool.threads].find((candidate) => candidate.job === job)
  if (thread === undefined) job.reject(signal?.reason)
  else endThread(pool, thread, signal?.reason)
}

async function closePool(pool: Pool): Promise<void> {
  pool.isClosed = true
  if (pool.idleTimer !== null) clearTimeout(pool.idleTimer)
  const closed = serviceStopping()
  for (const job of [...pool.waiting.values()].flat()) job.reject(closed)
  pool.waiting.clear()
  const ended = [...pool.threads].map((thread) => thread.worker.terminate())
  for (const thread of [...pool.threads]) endThread(pool, thread, closed)
  await Promise.all(ended)
}
