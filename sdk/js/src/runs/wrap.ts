import { invalid, messageOf, PromptdeckError } from '../core/errors.ts'
import type { Run } from '../core/types.ts'

/** Fields to report with each call, in addition to the measured ones. */
export type WrapOptions<Result> = Omit<Run, 'latency_ms' | 'status' | 'client_run_id' | 'created_at'> & {
  /** Derives fields from the result: token counts, the finish reason, … */
  readonly usage?: (result: Result) => Partial<Run>
}

/** Maximum length that the service accepts. */
const maxErrorLength = 8_192

/**
 * Converts a class name such as `RateLimitError` to `rate_limit_error`; returns `error` if that is not
 * possible.
 */
function errorType(error: unknown): string {
  if (!(error instanceof Error)) return 'error'
  // Few errors set a name of their own; the class has one.
  const name = error.name === 'Error' ? error.constructor.name : error.name
  const snake = name
    .replace(/([A-Z]+)([A-Z][a-z])/g, '$1_$2')
    .replace(/([a-z\d])([A-Z])/g, '$1_$2')
    .toLowerCase()
  return /^[a-z][a-z0-9_.-]{0,63}$/.test(snake) ? snake : 'error'
}

export type WrapDeps = {
  readonly report: (run: Run) => void
  readonly onError: (error: PromptdeckError) => void
}

/** Returns a function that reports every call of `call` and returns or throws the same. */
export function wrapCall<Args extends readonly unknown[], Result>(
  call: (...args: Args) => Result,
  options: WrapOptions<Awaited<Result>>,
  { report, onError }: WrapDeps,
): (...args: Args) => Result {
  const { usage, ...fields } = options
  if (typeof fields.provider !== 'string' || typeof fields.model !== 'string')
    throw invalid('wrap requires provider and model.')

  /** Reports a run. A failure is emitted as an event, because it must not affect the call. */
  const reportSafely = (make: () => Run): void => {
    try {
      report(make())
    } catch (error) {
      // After `close`, nothing is reported and no event is emitted.
      if (error instanceof PromptdeckError && error.code === 'Closed') return
      onError(error instanceof PromptdeckError ? error : invalid(`usage failed: ${messageOf(error)}`))
    }
  }
  const elapsedMs = (startedAt: number): number => Math.round((performance.now() - startedAt) * 1000) / 1000
  const reportSuccess = (startedAt: number, result: Awaited<Result>): void => {
    const run: Run = { ...fields, latency_ms: elapsedMs(startedAt), status: 'ok' }
    reportSafely(() => {
      try {
        return { ...run, ...usage?.(result) }
      } catch (error) {
        onError(invalid(`usage failed, so the run is reported without its result: ${messageOf(error)}`))
        return run
      }
    })
  }
  const reportFailure = (startedAt: number, error: unknown): void =>
    reportSafely(() => ({
      ...fields,
      latency_ms: elapsedMs(startedAt),
      status: 'error',
      error: messageOf(error).slice(0, maxErrorLength),
      error_type: errorType(error),
    }))

  // No arrow function, because a wrapped method needs its object.
  return function (this: unknown, ...args) {
    const startedAt = performance.now()
    let result: Result
    try {
      result = Reflect.apply(call, this, args)
    } catch (error) {
      reportFailure(startedAt, error)
      throw error
    }
    if (!isPromise<Awaited<Result>>(result)) {
      reportSuccess(startedAt, result as Awaited<Result>)
      return result
    }
    return reportWhenSettled(result, startedAt) as Result
  }

  async function reportWhenSettled(
    result: PromiseLike<Awaited<Result>>,
    startedAt: number,
  ): Promise<Awaited<Result>> {
    let value: Awaited<Result>
    try {
      value = await result
    } catch (error) {
      reportFailure(startedAt, error)
      throw error
    }
    reportSuccess(startedAt, value)
    return value
  }
}

const isPromise = <Value>(value: unknown): value is PromiseLike<Value> =>
  typeof value === 'object' && value !== null && 'then' in value && typeof value.then === 'function'
