import { fail, type Problem } from '../../lib/fail.ts'
import { QueueFull } from '../../models/policies/fair-queue.ts'
import type { CallFailed } from './call.ts'

/** Returns the problem for a failed call, without the details that are for the log only. */
export function problemOf({ rendered, partial, run, reason }: CallFailed): Problem {
  return fail(reason instanceof QueueFull ? 'rate_limited' : 'provider.failed', {
    detail: reason.message,
    call: { rendered, output: partial, runId: run.id, errorType: reason.type },
    ...(reason.retryAfterMs !== null && { retryAfter: Math.ceil(reason.retryAfterMs / 1000) }),
    cause: reason,
  })
}
