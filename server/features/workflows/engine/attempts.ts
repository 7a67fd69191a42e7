import { setTimeout as sleep } from 'node:timers/promises'
import type { Run } from '../../../../contract/runs/run.ts'
import { type CallDone, CallFailed } from '../../../calls/request/call.ts'
import { minuteMs } from '../../../lib/durations.ts'
import { Problem } from '../../../lib/fail.ts'
import { ModelError, type ModelErrorType } from '../../../models/model.ts'
import { StepError } from './errors.ts'
import type { CallingStep } from './state.ts'

/** Errors that a retry would not change. */
const finalErrors: ReadonlySet<ModelErrorType> = new Set([
  'not_configured',
  'host_refused',
  'bad_request',
  'unauthorized',
  'cancelled',
  'interrupted',
])
const maxWaitMs = minuteMs

/** Returns a signal that also aborts after a time limit, with a `timeout` error as the reason. */
export function withTimeout(outer: AbortSignal, timeoutMs: number | undefined, failure: string) {
  if (timeoutMs === undefined) return { signal: outer, isExpired: () => false, clear: () => undefined }
  const timeout = new AbortController()
  const reason = new ModelError('timeout', `${failure} within ${timeoutMs} ms`)
  const timer = setTimeout(() => timeout.abort(reason), timeoutMs)
  return {
    signal: AbortSignal.any([outer, timeout.signal]),
    isExpired: () => timeout.signal.aborted,
    clear: () => clearTimeout(timer),
  }
}

export type AttemptResult = {
  readonly runs: readonly Run[]
  readonly attempts: number
  /** The rendered prompt of the latest call; null if no call was made. */
  readonly rendered: string | null
} & ({ readonly done: CallDone } | { readonly error: StepError })

type Failure = { readonly error: StepError; readonly isFinal: boolean }

/** Returns the failure of an attempt. Throws the error if it is not a failure of the step. */
function failureOf(thrown: unknown): Failure {
  if (thrown instanceof CallFailed) {
    const { type, message } = thrown.reason
    return { error: new StepError(type, message, thrown), isFinal: finalErrors.has(type) }
  }
  if (thrown instanceof Problem && thrown.status < 500)
    return { error: new StepError('invalid', thrown.message, thrown), isFinal: true }
  if (thrown instanceof StepError) return { error: thrown, isFinal: true }
  throw thrown
}

/** Waits before the next attempt. Returns false if the signal aborts first. */
function backOff(step: CallingStep, number: number, signal: AbortSignal): Promise<boolean> {
  const waitMs = Math.min((step.retry?.backoff_ms ?? 0) * 2 ** (number - 1), maxWaitMs)
  return sleep(waitMs, true, { signal }).catch(() => false)
}

/**
 * Calls until an attempt succeeds, fails with a final error, or no attempt is left. Every attempt is a
 * separate run.
 */
export async function attempt(
  step: CallingStep,
  signal: AbortSignal,
  call: (signal: AbortSignal, attempt: number) => Promise<CallDone>,
): Promise<AttemptResult> {
  const runs: Run[] = []
  let rendered: string | null = null
  for (let number = 1; ; number += 1) {
    const limit = withTimeout(signal, step.timeout_ms, 'No response')
    let failure: Failure
    try {
      const done = await call(limit.signal, number)
      return { runs: [...runs, done.run], attempts: number, rendered: done.rendered, done }
    } catch (thrown) {
      failure = failureOf(thrown)
      if (thrown instanceof CallFailed) {
        runs.push(thrown.run)
        rendered = thrown.rendered
      }
    } finally {
      limit.clear()
    }
    const isLast = failure.isFinal || signal.aborted || number > (step.retry?.max ?? 0)
    if (isLast || !(await backOff(step, number, signal)))
      return { runs, attempts: number, rendered, error: failure.error }
  }
}
