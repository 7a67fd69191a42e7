import { setPriority } from 'node:os'
import { parentPort } from 'node:worker_threads'
import { compareSync, hashSync } from 'bcryptjs'

export type PasswordJob =
  | { readonly id: number; readonly kind: 'hash'; readonly secret: string; readonly cost: number }
  | { readonly id: number; readonly kind: 'compare'; readonly secret: string; readonly hash: string }
export type PasswordResult =
  | { readonly id: number; readonly value: string | boolean }
  | { readonly id: number; readonly error: string }

// On Linux this lowers the calling thread alone, so that a login storm yields to requests; elsewhere it would lower the process.
if (process.platform === 'linux') setPriority(0, 5)

parentPort?.on('message', (job: PasswordJob) => {
  let result: PasswordResult
  try {
    const value = job.kind === 'hash' ? hashSync(job.secret, job.cost) : compareSync(job.secret, job.hash)
    result = { id: job.id, value }
  } catch (error) {
    result = { id: job.id, error: error instanceof Error ? error.message : String(error) }
  }
  parentPort?.postMessage(result)
})
