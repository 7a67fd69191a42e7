import type { ServerResponse } from 'node:http'
import type { Problem } from '../../lib/fail.ts'
import { problemBody } from '../problem.ts'
import { isEventReply } from '../route.ts'
import type { StepResponse } from '../steps/request-state.ts'
import { endEvents, sendEvents } from './send.ts'
import type { Yield } from './yield.ts'

type EventStream = {
  readonly res: StepResponse
  readonly yieldWrite: Yield
  /** Starts the handler. */
  readonly start: (signal: AbortSignal) => Promise<unknown>
  /** Calls `end` when the caller's access ends. Returns a function that stops watching. */
  readonly watchAccess: (end: (problem: Problem) => void) => () => void
}

/**
 * Replies with the events of a handler. The stream ends early if the caller disconnects, or with an `error`
 * event if the caller's access ends. Throws that problem if no event was sent yet.
 */
export async function replyWithEvents({ res, yieldWrite, start, watchAccess }: EventStream): Promise<void> {
  const { path, requestId } = res.locals
  const controller = abortOnDisconnect(res)
  let ended: Problem | null = null
  const unwatch = watchAccess((problem) => {
    ended = problem
    endEvents(res, problemBody(problem, path, requestId))
    controller.abort()
  })
  try {
    const reply = await start(controller.signal)
    if (!isEventReply(reply)) throw new Error(`${path} has no events`)
    if (ended === null) await sendEvents(res, reply, yieldWrite)
  } catch (error) {
    if (ended === null) throw error
  } finally {
    unwatch()
  }
  if (ended !== null && !res.headersSent) throw ended
}

/** Returns a controller that aborts if the caller disconnects before the reply is complete. */
export function abortOnDisconnect(res: ServerResponse): AbortController {
  const controller = new AbortController()
  res.once('close', () => {
    if (!res.writableFinished) controller.abort()
  })
  return controller
}
