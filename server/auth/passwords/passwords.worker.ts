import { setPriority } from 'node:os'
import { parentPort } from 'node:worker_threads'
import { compareSync, hashSync } from 'bcryptjs'
import { messageOf } from '../../lib/text/message-of.ts'

export type PasswordJob =
  | { readonly kind: 'hash'; readonly secret: string; readonly cost: number }
  | { readonly kind: 'compare'; readonly secret: string; readonly hash: string }
  | { readonly kind: 'common'; readonly texts: readonly string[] }
export type PasswordResult = { readonly value: string | boolean } | { readonly error: string }

// On Linux this lowers the priority of this thread alone, so that many sign-ins do not delay other requests.
// Other systems would lower the whole process.
if (process.platform === 'linux') setPriority(0, 5)

async function resultOf(job: PasswordJob): Promise<string | boolean> {
  if (job.kind === 'hash') return hashSync(job.secret, job.cost)
  if (job.kind === 'compare') return compareSync(job.secret, job.hash)
  const { hasCommonPassword } = await import('./common-passwords.ts')
  return hasCommonPassword(job.texts)
}

parentPort?.on('message', async (job: PasswordJob) => {
  let result: PasswordResult
  try {
    result = { value: await resultOf(job) }
  } catch (error) {
    result = { error: messageOf(error) }
  }
  parentPort?.postMessage(result)
})
