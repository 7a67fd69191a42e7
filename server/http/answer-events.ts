import type { ServerResponse } from 'node:http'
import type { Problem } from '../lib/fail.ts'
import { problemBody } from './problem.ts'
import { endEvents, type ReplyHead, sendEvents } from './reply.ts'
import { isEventReply } from './route.ts'
import type { Turn } from './turns.ts'

type EventAnswer = {
  readonly res: ServerResponse
  readonly head: ReplyHead
  readonly path: string
  readonly turn: Turn
  readonly handle: (signal: AbortSignal) => Promise<unknown>
  /** Calls `end` when the caller's access ends. Returns a function that stops watching. */
  readonly watchAccess: (end: (problem: Problem) => void) => () => void
}

/**
 * Replies with the events of a handler. The stream ends early if the caller disconnects, or with an `error`
 * event if the caller's access ends. Throws that problem if no event was sent yet.
 */
export async function answerWithEvents(answer: EventAnswer): Promise<void> {
  const { res, head, path, turn, handle, watchAccess } = answer
  const controller = abortWhenGone(res)
  let ended: Problem | null = null
  const unwatch = watchAccess((problem) => {
    ended = problem
    endEvents(res, problemBody(problem, path, head.requestId))
    controller.abort()
  })
  try {
    const reply = await handle(controller.signal)
    if (!isEventReply(reply)) throw new Error(`${path} has no events`)
    if (ended === null) await sendEvents(res, head, reply, turn)
  } catch (error) {
    if (ended === null) throw error
  } finally {
    unwatch()
  }
  if (ended !== null && !res.headersSent) throw ended
}

/** Returns a controller that aborts if the caller disconnects before the reply is complete. */
export function abortWhenGone(res: ServerResponse): AbortController {
  const controller = new AbortController()
  res.once('close', () => {
    if (!res.writableFinished) controller.abort()
  })
  return controller
}
