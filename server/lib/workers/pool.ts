import { Worker } from 'node:worker_threads'
import type { ProblemCode } from '../../../contract/problem.ts'
import { fail, type ProblemExtra } from '../fail.ts'

/** A message to a worker. */
export type WorkMessage = { readonly id: number; readonly kind: string; readonly input: unknown }
/** A message from a worker: `ready` once, then one reply for each job. */
export type WorkReply =
  | { readonly ready: true }
  | { readonly id: number; readonly output: unknown }
  | { readonly id: number; readonly problem: { readonly code: ProblemCode; readonly extra: ProblemExtra } }
  | { readonly id: number; readonly error: string }

/** A job that was ended because it used more time or memory than it may. */
export class WorkLimitReached extends Error {
  readonly limit: 'time' | 'memory'
  constructor(limit: 'time' | 'memory') {
    super(limit === 'time' ? 'The work took too long and was stopped' : 'The work needed too much memory')
    this.name = 'WorkLimitReached'
    this.limit = limit
  }
}

export type WorkerPoolOptions = {
  readonly script: URL
  readonly maxThreads?: number
  /** Heap of each thread, MiB. */
  readonly maxMemoryMb?: number
  /** Jobs of one owner that may wait. */
  readonly maxWaitingPerOwner?: number
  /** Time after which an unused thread is ended, in milliseconds. */
  readonly idleMs?: number
}

export type JobOptions = {
  /** The caller: each owner has at most one active job, and owners are served in rotation. */
  readonly owner: string
  readonly timeoutMs: number
  readonly signal?: AbortSignal | undefined
}

export type WorkerPool = {
  /** Rejects with `WorkLimitReached`, the signal's reason, a `Problem` of the work, or the error of the work. */
  run(kind: string, input: unknown, options: JobOptions): Promise<unknown>
  close(): Promise<void>
}

type Job = {
  readonly message: WorkMessage
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

/** Loading the script has its own limit, separate from the job's. */
const startLimitMs = 30_000

/**
 * A pool of worker threads for work of untrusted cost. A job that exceeds its time or memory is ended with
 * its thread. Owners are served in rotation, and no owner can occupy every thread.
 */
export function createWorkerPool(options: WorkerPoolOptions): WorkerPool {
  const { script, maxThreads = 2, maxMemoryMb = 128, maxWaitingPerOwner = 32, idleMs = 30_000 } = options
  const threads = new Set<Thread>()
  /** Waiting jobs by owner, in the order in which the owners are served. */
  const waiting = new Map<string, Job[]>()
  let lastId = 0
  let idle: NodeJS.Timeout | null = null
  let isClosed = false

  function startThread(): Thread {
    const worker = new Worker(script, { resourceLimits: { maxOldGenerationSizeMb: maxMemoryMb } })
    const thread: Thread = { worker, isReady: false, job: null, timer: null }
    worker.on('message', (reply: WorkReply) => receive(thread, reply))
    worker.on('error', (error: NodeJS.ErrnoException) =>
      drop(thread, error.code === 'ERR_WORKER_OUT_OF_MEMORY' ? new WorkLimitReached('memory') : error),
    )
    worker.on('exit', () => drop(thread, new Error('The worker thread ended')))
    threads.add(thread)
    return thread
  }

  function receive(thread: Thread, reply: WorkReply): void {
    if ('ready' in reply) {
      thread.isReady = true
      if (thread.job !== null) limitTime(thread, thread.job.options.timeoutMs)
      return
    }
    const { job } = thread
    if (job === null || job.message.id !== reply.id) return
    release(thread)
    if ('output' in reply) job.resolve(reply.output)
    else if ('problem' in reply) job.reject(fail(reply.problem.code, reply.problem.extra))
    else job.reject(new Error(reply.error))
    next()
  }

  /** Removes a thread that ended or must end, and rejects its job. */
  function drop(thread: Thread, error: unknown): void {
    if (!threads.delete(thread)) return
    const { job } = thread
    release(thread)
    void thread.worker.terminate()
    job?.reject(error)
    next()
  }

  function release(thread: Thread): void {
    if (thread.timer !== null) clearTimeout(thread.timer)
    thread.timer = null
    thread.job = null
    thread.worker.unref()
  }

  function limitTime(thread: Thread, ms: number): void {
    if (thread.timer !== null) clearTimeout(thread.timer)
    thread.timer = setTimeout(() => drop(thread, new WorkLimitReached('time')), ms)
  }

  /**
   * Takes the next job of the first owner without an active job. That owner moves to the end of the rotation.
   */
  function take(): Job | null {
    const busy = new Set([...threads].map(({ job }) => job?.options.owner))
    for (const [owner, jobs] of waiting) {
      if (busy.has(owner)) continue
      waiting.delete(owner)
      const job = jobs.shift()
      if (jobs.length > 0) waiting.set(owner, jobs)
      if (job !== undefined) return job
    }
    return null
  }

  function next(): void {
    if (isClosed) return
    for (;;) {
      const free = [...threads].find(({ job }) => job === null)
      if (free === undefined && threads.size >= maxThreads) return
      const job = take()
      if (job === null) break
      start(free ?? startThread(), job)
    }
    if ([...threads].every(({ job }) => job === null)) endWhenIdle()
  }

  function start(thread: Thread, job: Job): void {
    if (idle !== null) clearTimeout(idle)
    idle = null
    thread.job = job
    thread.worker.ref()
    limitTime(thread, thread.isReady ? job.options.timeoutMs : startLimitMs)
    thread.worker.postMessage(job.message)
  }

  function endWhenIdle(): void {
    if (idle !== null) clearTimeout(idle)
    idle = setTimeout(() => {
      for (const thread of threads) if (thread.job === null) drop(thread, null)
    }, idleMs).unref()
  }

  function add(job: Job): void {
    const { owner } = job.options
    const jobs = waiting.get(owner) ?? []
    if (jobs.length >= maxWaitingPerOwner)
      throw fail('rate_limited', { detail: 'Too much work is waiting for you already.', retryAfter: 5 })
    jobs.push(job)
    waiting.set(owner, jobs)
    next()
  }

  function cancel(job: Job): void {
    const { owner, signal } = job.options
    const left = (waiting.get(owner) ?? []).filter((one) => one !== job)
    if (left.length === 0) waiting.delete(owner)
    else waiting.set(owner, left)
    const thread = [...threads].find((one) => one.job === job)
    if (thread === undefined) job.reject(signal?.reason)
    else drop(thread, signal?.reason)
  }

  return {
    run: (kind, input, jobOptions) =>
      new Promise((resolve, reject) => {
        if (isClosed) throw new Error('The worker pool is closed')
        jobOptions.signal?.throwIfAborted()
        lastId += 1
        const { signal } = jobOptions
        const leave = () => cancel(job)
        const settle =
          <T>(end: (value: T) => void) =>
          (value: T) => {
            signal?.removeEventListener('abort', leave)
            end(value)
          }
        const message = { id: lastId, kind, input }
        const job: Job = { message, options: jobOptions, resolve: settle(resolve), reject: settle(reject) }
        add(job)
        signal?.addEventListener('abort', leave, { once: true })
      }),
    async close() {
      isClosed = true
      if (idle !== null) clearTimeout(idle)
      const closed = new Error('The service is stopping')
      for (const job of [...waiting.values()].flat()) job.reject(closed)
      waiting.clear()
      const ended = [...threads].map((thread) => thread.worker.terminate())
      for (const thread of [...threads]) drop(thread, closed)
      await Promise.all(ended)
    },
  }
}
