import { Worker } from 'node:worker_threads'
import type { Fence } from './lock/fence.ts'
import type { Sidecar } from './snapshot.ts'

/** Where the thread writes: the next generation of the folder, or a file of its own. */
export type SnapshotTarget = { readonly generation: number } | { readonly file: string }

export type SnapshotJob = {
  readonly folder: string
  /** Generations to start from, the best first. */
  readonly bases: readonly number[]
  /** Closed segments, oldest first. */
  readonly segments: readonly string[]
  /** The transaction the result must end with. */
  readonly transaction: number
  readonly target: SnapshotTarget
  readonly limitBytes: number
  readonly now: string
  readonly fence: Fence
}

export type SnapshotReply =
  | { readonly sidecar: Sidecar }
  | { readonly error: { readonly message: string; readonly code?: string } }

/** Runs a job in a thread of its own, whose memory goes with it. */
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
