import { Worker } from 'node:worker_threads'
import type { Fence } from '../lock/fence.ts'
import type { Sidecar } from './snapshot.ts'

/** The output of the thread: the next generation in the folder, or a separate file. */
export type SnapshotTarget = { readonly generation: number } | { readonly file: string }

export type SnapshotJob = {
  readonly folder: string
  /** Generations to start from, in order of preference. */
  readonly bases: readonly number[]
  /** Closed segments, oldest first. */
  readonly segments: readonly string[]
  /** The last transaction that the result must include. */
  readonly transaction: number
  readonly target: SnapshotTarget
  readonly limitBytes: number
  readonly now: string
  readonly fence: Fence
}

export type SnapshotReply =
  | { readonly sidecar: Sidecar }
  | { readonly error: { readonly message: string; readonly code?: string } }

/** Runs a job in its own thread, which frees its memory when it ends. */
export function runSnapshotJob(job: SnapshotJob): Promise<Sidecar> {
  return new Promise((resolve, reject) => {
    const thread = new Worker(new URL('./snapshot.worker.js', import.meta.url), { workerData: job })
    thread.once('message', (reply: SnapshotReply) => {
      if ('sidecar' in reply) resolve(reply.sidecar)
      else reject(Object.assign(new Error(reply.error.message), reply.error))
    })
    thread.once('error', reject)
    thread.once('exit', (code) => reject(new Error(`the snapshot thread ended with ${code}`)))
  })
}
