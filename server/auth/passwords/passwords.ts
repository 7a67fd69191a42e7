import { createHmac } from 'node:crypto'
import { availableParallelism } from 'node:os'
import { Worker } from 'node:worker_threads'
import { fail, serviceStopping } from '../../lib/fail.ts'
import type { PasswordJob, PasswordResult } from './passwords.worker.ts'

export type Passwords = {
  hash(password: string): Promise<string>
  /**
   * Compares a password with a hash. Null (an unknown user) takes as long as a real hash, and returns false.
   */
  matches(password: string, hash: string | null): Promise<boolean>
  /** Returns true if one of these folded texts is in the list of common passwords. */
  isCommon(texts: readonly string[]): Promise<boolean>
  close(): Promise<void>
}

export type PasswordOptions = {
  /** bcrypt cost: 2^cost rounds. 12 by default; tests use less. */
  readonly cost?: number
  /** Maximum number of jobs that wait for a thread. Further ones fail with 429. */
  readonly maxWaiting?: number
}

/** Not a secret: it makes our hashes differ from hashes of the same password elsewhere. */
const label = 'promptdeck/password/v1'

/** Returns 64 characters for a password of any length, because bcrypt ignores everything after 72 bytes. */
function shorten(password: string): string {
  return createHmac('sha384', label).update(password.normalize('NFKC'), 'utf8').digest('base64')
}

type Job = {
  readonly message: PasswordJob
  readonly resolve: (value: string | boolean) => void
  readonly reject: (error: Error) => void
}
type Thread = { readonly worker: Worker; job: Job | null }
type Pool = {
  readonly maxThreads: number
  readonly maxWaiting: number
  readonly threads: Set<Thread>
  readonly waiting: Job[]
  isClosed: boolean
}

function startThread(pool: Pool): Thread {
  const worker = new Worker(new URL('./passwords.worker.js', import.meta.url))
  const thread: Thread = { worker, job: null }
  const drop = (error: Error) => {
    pool.threads.delete(thread)
    thread.job?.reject(error)
    thread.job = null
    if (!pool.isClosed) startNext(pool)
  }
  worker.on('message', (result: PasswordResult) => {
    const { job } = thread
    thread.job = null
    worker.unref()
    if ('error' in result) job?.reject(new Error(`Password hashing failed: ${result.error}`))
    else job?.resolve(result.value)
    startNext(pool)
  })
  worker.on('error', drop)
  worker.on('exit', () => drop(pool.isClosed ? serviceStopping() : new Error('The password thread ended')))
  pool.threads.add(thread)
  return thread
}

/** Sends the next job to an idle thread, or to a new one while there are fewer than the maximum. */
function startNext(pool: Pool): void {
  const { threads, waiting, maxThreads } = pool
  const idle = [...threads].find((thread) => thread.job === null)
  if (waiting.length === 0 || (!idle && threads.size >= maxThreads)) return
  const thread = idle ?? startThread(pool)
  const job = waiting.shift()
  if (!job) return
  thread.job = job
  thread.worker.ref()
  thread.worker.postMessage(job.message)
}

const run = (pool: Pool, message: PasswordJob) =>
  new Promise<string | boolean>((resolve, reject) => {
    if (pool.isClosed) throw serviceStopping()
    if (pool.waiting.length >= pool.maxWaiting) {
      throw fail('rate_limited', {
        detail: 'Too many sign-ins at once; try again in a moment.',
        retryAfter: 5,
      })
    }
    pool.waiting.push({ message, resolve, reject })
    startNext(pool)
  })

async function closePool(pool: Pool): Promise<void> {
  pool.isClosed = true
  for (const job of pool.waiting.splice(0)) job.reject(serviceStopping())
  await Promise.all([...pool.threads].map((thread) => thread.worker.terminate()))
}

/** Hashes and compares passwords on worker threads: half the cores, at least one, at most four. */
export function createPasswords({ cost = 12, maxWaiting = 256 }: PasswordOptions = {}): Passwords {
  const maxThreads = Math.max(1, Math.min(4, Math.floor(availableParallelism() / 2)))
  const pool: Pool = {
    maxThreads,
    maxWaiting,
    threads: new Set(),
    waiting: [],
    isClosed: false,
  }
  // No password has this hash. Comparing with it takes as long for an unknown user as for a known one.
  const dummyHash = `$2b$${String(cost).padStart(2, '0')}$${'.'.repeat(21)}u${'.'.repeat(31)}`

  return {
    async hash(password) {
      const secret = shorten(password)
      return String(await run(pool, { kind: 'hash', secret, cost }))
    },
    async matches(password, hash) {
      const secret = shorten(password)
      const isEqual = await run(pool, { kind: 'compare', secret, hash: hash ?? dummyHash })
      return isEqual === true && hash !== null
    },
    isCommon: async (texts) => (await run(pool, { kind: 'common', texts })) === true,
    close: () => closePool(pool),
  }
}
