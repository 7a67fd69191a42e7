import { parentPort } from 'node:worker_threads'
import { Problem } from '../fail.ts'
import type { WorkMessage, WorkReply } from './pool.ts'

/**
 * Runs the jobs of a worker pool in a worker thread, each with the function of its kind, and sends the
 * replies.
 */
export function serveJobs(kinds: ReadonlyMap<string, (input: unknown) => unknown>): void {
  const answer = ({ id, kind, input }: WorkMessage): WorkReply => {
    try {
      const work = kinds.get(kind)
      if (work === undefined) throw new Error(`There is no work of the kind ${kind}`)
      return { id, output: work(input) }
    } catch (error) {
      if (error instanceof Problem) {
        const { detail, errors } = error.extra
        return {
          id,
          problem: { code: error.code, extra: { ...(detail && { detail }), ...(errors && { errors }) } },
        }
      }
      return { id, error: error instanceof Error ? error.message : String(error) }
    }
  }
  parentPort?.on('message', (message: WorkMessage) => parentPort?.postMessage(answer(message)))
  parentPort?.postMessage({ ready: true } satisfies WorkReply)
}
