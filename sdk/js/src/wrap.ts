import { invalid, messageOf, PromptdeckError } from './errors.ts'
import type { Run } from './types.ts'

/** What is reported of each call, besides what is measured. */
export type WrapOptions<Result> = Omit<Run, 'latency_ms' | 'status' | 'client_run_id' | 'created_at'> & {
  /** What the result tells: token counts, the finish reason, … */
  readonly usage?: (result: Result) => Partial<Run>
}

/** As long as the service takes one. */
const longestError = 8_192

/** `RateLimitError` as `rate_limit_error`; what cannot be written so is `error`. */
export function errorType(error: unknown): string {
  if (!(error instanceof Error)) return 'error'
  // Few set a name of their own; the class has one.
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

/** Reports every call of a function, which goes on to return or throw what it did. */
export function wrapCall<Args extends readonly unknown[], Result>(
  call: (...args: Args) => Result,
  options: WrapOptions<Awaited<Result>>,
  { report, onError }: WrapDeps,
): (...args: Args) => Result {
  const { usage, ...about } = options
  if (typeof about.provider !== 'string' || typeof about.model !== 'string')
    throw invalid('wrap needs provider and model.')

  /** A report that cannot be made is told; it must not harm the call. */
  const tell = (make: () => Run): void => {
    try {
      report(make())
    } catch (error) {
      // After `close` nothing is reported, and nobody is told.
      if (error instanceof PromptdeckError && error.code === 'Closed') return
      onError(error instanceof PromptdeckError ? error : invalid(`usage failed: ${messageOf(error)}`))
    }
  }
  const since = (begun: number): number => Math.round(performance.now() - begun)
  const succeeded = (begun: number, result: Awaited<Result>): void => {
    const run: Run = { ...about, latency_ms: since(begun), status: 'ok' }
    tell(() => {
      try {
        return { ...run, ...usage?.(result) }
      } catch (error) {
        onError(invalid(`usage failed, the run is reported without it: ${messageOf(error)}`))
        return run
      }
    })
  }
  const failed = (begun: number, error: unknown): void =>
    tell(() => ({
      ...about,
      latency_ms: since(begun),
      status: 'error',
      error: messageOf(error).slice(0, longestError),
      error_type: errorType(error),
    }))

  return (...args) => {
    const begun = performance.now()
    let result: Result
    try {
      result = call(...args)
    } catch (error) {
      failed(begun, error)
      throw error
    }
    if (!isPromise<Awaited<Result>>(result)) {
      succeeded(begun, result as Awaited<Result>)
      return result
    }
    return watched(result, begun) as Result
  }

  async function watched(result: PromiseLike<Awaited<Result>>, begun: number): Promise<Awaited<Result>> {
    let value: Awaited<Result>
    try {
      value = await result
    } catch (error) {
      failed(begun, error)
      throw error
    }
    succeeded(begun, value)
    return value
  }
}

const isPromise = <Value>(value: unknown): value is PromiseLike<Value> =>
  typeof value === 'object' && value !== null && 'then' in value && typeof value.then === 'function'
