import { setTimeout as sleep } from 'node:timers/promises'
import type { Run } from '../../../../contract/run.ts'
import type { WorkflowStep } from '../../../../contract/workflow-step.ts'
import { type CallDone, CallFailed } from '../../../calls/call.ts'
import { Problem } from '../../../lib/fail.ts'
import { ModelError, type ModelErrorType } from '../../../models/model.ts'
import { StepError } from './errors.ts'

type Calling = Extract<WorkflowStep, { type: 'model' | 'agent' }>

/** Errors that a retry would not change. */
const final: ReadonlySet<ModelErrorType> = new Set([
  'not_configured',
  'host_refused',
  'bad_request',
  'unauthorized',
  'cancelled',
  'interrupted',
])
const longestWaitMs = 60_000

/** Returns a signal that also aborts after a time limit, with a `timeout` error as the reason. */
export function limited(outer: AbortSignal, timeoutMs: number | undefined, what: string) {
  if (timeoutMs === undefined) return { signal: outer, isOver: () => false, clear: () => undefined }
  const own = new AbortController()
  const reason = new ModelError('timeout', `${what} within ${timeoutMs} ms`)
  const timer = setTimeout(() => own.abort(reason), timeoutMs)
  return {
    signal: AbortSignal.any([outer, own.signal]),
    isOver: () => own.signal.aborted,
    clear: () => clearTimeout(timer),
  }
}

export type Attempted = {
  readonly runs: readonly Run[]
  readonly attempts: number
  /** The text that was sent; null if nothing was sent. */
  readonly sent: string | null
} & ({ readonly done: CallDone } | { readonly error: StepError })

/**
 * Calls until an attempt succeeds, fails with a final error, or no attempt is left. Every attempt is a
 * separate run.
 */
export async function attempt(
  step: Calling,
  signal: AbortSignal,
  call: (signal: AbortSignal, attempt: number) => Promise<CallDone>,
): Promise<Attempted> {
  const { retry, timeout_ms: timeoutMs } = step
  const runs: Run[] = []
  let sent: string | null = null
  for (let number = 1; ; number += 1) {
    const limit = limited(signal, timeoutMs, 'No answer')
    let error: StepError
    let isFinal = false
    try {
      const done = await call(limit.signal, number)
      return { runs: [...runs, done.run], attempts: number, sent: done.rendered, done }
    } catch (thrown) {
      if (thrown instanceof CallFailed) {
        runs.push(thrown.run)
        sent = thrown.rendered
        error = new StepError(thrown.reason.type, thrown.reason.message, thrown)
        isFinal = final.has(thrown.reason.type)
      } else if (thrown instanceof Problem && thrown.status < 500) {
        error = new StepError('invalid', thrown.message, thrown)
        isFinal = true
      } else if (thrown instanceof StepError) {
        error = thrown
        isFinal = true
      } else throw thrown
    } finally {
      limit.clear()
    }
    if (isFinal || signal.aborted || number > (retry?.max ?? 0))
      return { runs, attempts: number, sent, error }
    const waitMs = Math.min((retry?.backoff_ms ?? 0) * 2 ** (number - 1), longestWaitMs)
    const wasLeft = await sleep(waitMs, false, { signal }).catch(() => true)
    if (wasLeft) return { runs, attempts: number, sent, error }
  }
}
