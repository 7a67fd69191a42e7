import { parentPort } from 'node:worker_threads'
import { Problem } from '../fail.ts'
import { messageOf } from '../text/message-of.ts'
import type { JobMessage, JobReply } from './messages.ts'

/**
 * Runs the jobs of a worker pool in a worker thread, each with the function of its kind, and sends the
 * replies.
 */
export function serveJobs(kinds: ReadonlyMap<string, (input: unknown) => unknown>): void {
  const replyTo = ({ id, kind, input }: JobMessage): JobReply => {
    try {
      const run = kinds.get(kind)
      if (run === undefined) throw new Error(`Unknown kind of job: ${kind}`)
      return { id, output: run(input) }
    } catch (error) {
      if (error instanceof Problem) {
        const { detail, errors } = error.extra
        return {
          id,
          problem: { code: error.code, extra: { ...(detail && { detail }), ...(errors && { errors }) } },
        }
      }
      return { id, error: messageOf(error) }
    }
  }
  parentPort?.on('message', (message: JobMessage) => parentPort?.postMessage(replyTo(message)))
  parentPort?.postMessage({ ready: true } satisfies JobReply)
}
