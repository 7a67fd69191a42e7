import { type CallOutcome, type GenerateRequest, ModelError } from '../model.ts'
import type { Part } from '../source.ts'

/** Reports the outcome of one call. */
export type CallObserver = {
  /** Call it when the call gets its slot. */
  begin(): void
  received(part: Part): void
  failed(error: unknown): void
}

/**
 * Creates an observer of a call. `observe` is called when the call begins, and returns the function that
 * receives its outcome. A time limit that the caller chose does not count: it may be too short.
 */
export function createCallObserver(
  observe: (() => (outcome: CallOutcome) => void) | undefined,
  { params }: Pick<GenerateRequest, 'params'>,
): CallObserver {
  let report: ((outcome: CallOutcome) => void) | undefined
  let startedAt = 0
  let latencyMs: number | null = null
  return {
    begin() {
      report = observe?.()
      startedAt = performance.now()
    },
    received(part) {
      if (part.type === 'activity') return
      latencyMs ??= performance.now() - startedAt
      // The caller may read nothing after the end, so this is the last chance to report.
      if (part.type === 'end') report?.({ latencyMs })
    },
    failed(error) {
      if (!(error instanceof ModelError)) return
      const isOwnLimit = error.type === 'timeout' && params.timeout_ms !== undefined
      if (!isOwnLimit) report?.({ error })
    },
  }
}
