import type { Clock } from '../../../lib/clock.ts'
import type { CallOutcome, ModelErrorType } from '../../../models/model.ts'

/** The result of a check or a call. `error` is a sentence for people; null after a success. */
export type Outcome = {
  readonly by: 'check' | 'call'
  readonly latencyMs: number | null
  readonly error: string | null
}

/** The last outcome of a provider. */
export type Health = Outcome & {
  /** Epoch milliseconds. */
  readonly at: number
  /** Time of the first failure after the last success; null after a success. */
  readonly failingSince: number | null
}

export type HealthLog = {
  /** Returns null if the provider was neither checked nor called with its current settings. */
  of(name: string): Health | null
  /**
   * Call it before a check or a call. The returned function stores the outcome, unless `forget` was called
   * since: the outcome then belongs to earlier settings.
   */
  begin(name: string): (outcome: Outcome) => void
  /** Removes the outcome, because the settings changed. */
  forget(name: string): void
}

/**
 * The last outcome of each provider, in memory: it describes the present, and a new process checks again.
 * `onChange` is called when a provider becomes ready or failing, or fails for another reason.
 */
export function createHealthLog(deps: { readonly clock: Clock; readonly onChange: () => void }): HealthLog {
  const health = new Map<string, Health>()
  /** Changes with the settings of a provider. */
  const generations = new Map<string, number>()
  const generationOf = (name: string): number => generations.get(name) ?? 0

  return {
    of: (name) => health.get(name) ?? null,
    begin(name) {
      const generation = generationOf(name)
      return (outcome) => {
        if (generationOf(name) !== generation) return
        const before = health.get(name)
        const at = deps.clock.now().getTime()
        const failingSince = outcome.error === null ? null : (before?.failingSince ?? at)
        health.set(name, { ...outcome, at, failingSince })
        if (before === undefined || before.error !== outcome.error) deps.onChange()
      }
    },
    forget(name) {
      generations.set(name, generationOf(name) + 1)
      health.delete(name)
    },
  }
}

/**
 * The failures that show that a provider does not work. The others depend on the request or the caller: a
 * refused parameter, too many calls, a cancelled call.
 */
const providerFailures: ReadonlySet<ModelErrorType> = new Set([
  'host_refused',
  'unauthorized',
  'provider_error',
  'unreachable',
  'timeout',
  'stalled',
  'malformed',
])

/** Returns the outcome of a call as it counts for the provider; null if it does not count. */
export function outcomeOfCall(outcome: CallOutcome): Outcome | null {
  if (!('error' in outcome)) return { by: 'call', latencyMs: Math.round(outcome.latencyMs), error: null }
  const { type, status, message } = outcome.error
  if (!providerFailures.has(type)) return null
  return {
    by: 'call',
    latencyMs: null,
    error: type === 'unauthorized' ? keyRefused(status) : `${message}.`,
  }
}

/** Returns the message for a key that the provider does not accept. */
export const keyRefused = (status: number | null): string =>
  `The provider rejected the key${status === null ? '' : ` (HTTP ${status})`}.`
