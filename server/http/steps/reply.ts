import type { Endpoint } from '../../../contract/common/endpoint.ts'
import type { Db } from '../../db/types.ts'
import type { Problem } from '../../lib/fail.ts'
import type { RequestLog } from '../metrics/request-log.ts'
import type { OpenStreams } from '../open-streams.ts'
import { replyWithEvents } from '../reply/event-stream.ts'
import { sendDownload, sendJson, sendTagged } from '../reply/send.ts'
import type { Yield } from '../reply/yield.ts'
import { type Result, requireStep, type Step, type StepRequest, type StepResponse } from './request-state.ts'

export type ReplyDeps = {
  readonly db: Pick<Db, 'settled'>
  readonly openStreams: OpenStreams
  readonly log: RequestLog
  readonly yieldWrite: Yield
}

/** Creates the last step, which sends the result of the handler. */
export function createReply({ db, openStreams, log, yieldWrite }: ReplyDeps) {
  /** Calls `end` when the caller's access ends. Returns a function that stops watching. */
  const watchAccess = (endpoint: Endpoint, res: StepResponse, end: (problem: Problem) => void) => {
    const { identity, token, generation } = requireStep(res.locals.caller, 'authenticate')
    return identity === null || token === null
      ? () => undefined
      : openStreams.watch({ endpoint, identity, token, generation }, end)
  }

  const send = async (
    endpoint: Endpoint,
    req: StepRequest,
    res: StepResponse,
    result: Result,
  ): Promise<void> => {
    if (result.kind === 'raw') return result.write((end) => watchAccess(endpoint, res, end))
    if (result.kind === 'events') {
      const watch = (end: (problem: Problem) => void) => watchAccess(endpoint, res, end)
      return replyWithEvents({ res, yieldWrite, start: result.start, watchAccess: watch }).finally(
        result.releaseSlot,
      )
    }
    // A reply, also to a read, waits until everything it may contain is on disk.
    await db.settled()
    if (result.kind === 'download') {
      const unwatch = watchAccess(endpoint, res, () => res.destroy())
      return sendDownload(req, res, result.download).finally(unwatch)
    }
    const { status, json, etag } = result
    return etag === null ? sendJson(req, res, status, json) : sendTagged(req, res, { status, json, etag })
  }

  return (endpoint: Endpoint): Step =>
    async (req, res) => {
      await send(endpoint, req, res, requireStep(res.locals.result, 'handle'))
      log(req, res)
    }
}
