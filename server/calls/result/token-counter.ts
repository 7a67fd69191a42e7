import { Worker } from 'node:worker_threads'
import type { CountJob, CountResult } from './tokens.worker.ts'
import type { CountTokens } from './usage.ts'

export type TokenCounter = {
  readonly count: CountTokens
  /** Ends the thread. Pending and later counts are null. */
  close(): Promise<void>
}

/** The vocabulary takes 300 ms to load and uses 70 MB, so an idle thread is ended after this time. */
const idleMs = 30_000

/**
 * Creates a token counter with a separate thread, because 256 KiB of text takes from 40 to 600 ms. The thread
 * starts with the first request. If it fails, its pending counts are null; their runs are not affected.
 */
export function createTokenCounter(onError: (error: unknown) => void): TokenCounter {
  const pending = new Map<number, { size: number; done: (counts: readonly (number | null)[]) => void }>()
  let worker: Worker | null = null
  let idle: NodeJS.Timeout | null = null
  let lastId = 0
  let isClosed = false

  const endPending = () => {
    for (const { size, done } of pending.values()) done(new Array<null>(size).fill(null))
    pending.clear()
  }
  const failPending = (thread: Worker, error: unknown) => {
    if (worker !== thread) return
    worker = null
    onError(error)
    endPending()
  }
  const stopIdle = () => {
    const thread = worker
    worker = null
    thread?.terminate().catch(onError)
  }

  const ensureWorker = (): Worker => {
    if (worker !== null) return worker
    const thread = new Worker(new URL('./tokens.worker.js', import.meta.url))
    thread.on('message', (result: CountResult) => {
      const job = pending.get(result.id)
      pending.delete(result.id)
      if ('error' in result) onError(new Error(`Tokens could not be counted: ${result.error}`))
      job?.done('error' in result ? new Array<null>(job.size).fill(null) : result.counts)
      if (pending.size > 0) return
      thread.unref()
      idle = setTimeout(stopIdle, idleMs).unref()
    })
    thread.on('error', (error) => failPending(thread, error))
    thread.on('exit', () => failPending(thread, new Error('The thread that counts tokens ended')))
    worker = thread
    return thread
  }

  return {
    count: (texts) =>
      new Promise((done) => {
        if (isClosed) return done(new Array<null>(texts.length).fill(null))
        if (idle !== null) clearTimeout(idle)
        idle = null
        const thread = ensureWorker()
        thread.ref()
        lastId += 1
        pending.set(lastId, { size: texts.length, done })
        thread.postMessage({ id: lastId, texts } satisfies CountJob)
      }),
    async close() {
      if (idle !== null) clearTimeout(idle)
      const thread = worker
      worker = null
      isClosed = true
      endPending()
      await thread?.terminate()
    },
  }
}
