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
   * Call it before a check or a call. The returned function stores the outcome, unless `clear` was called
   * since: the outcome then belongs to earlier settings.
   */
  begin(name: string): (outcome: Outcome) => void
  /** Removes the outcome, because this instance changed the settings. */
  clear(name: string): void
  /** Removes the outcome in this instance, because another one changed the settings. */
  clearOwn(name: string): void
  /** Takes over newer outcomes of other instances. Resolves immediately if this is the only one. */
  refresh(): Promise<void>
}

/** The outcomes that instances share. */
export type SharedHealth = {
  put(name: string, health: Health): Promise<void>
  remove(name: string): Promise<void>
  all(): Promise<ReadonlyMap<string, Health>>
}

type HealthLogDeps = {
  readonly clock: Clock
  /** Called when a provider becomes ready or failing, or fails for another reason. */
  readonly onChange: () => void
  /** Null if this is the only instance. */
  readonly shared: SharedHealth | null
  readonly onError: (error: unknown) => void
}

/**
 * The last outcome of each provider, in memory: it describes the present, and a new process checks again. Instances
 * share the outcomes of checks and of calls that show a change.
 */
export function createHealthLog({ clock, onChange, shared, onError }: HealthLogDeps): HealthLog {
  const health = new Map<string, Health>()
  /** Number of changes of the settings, by provider. */
  const generations = new Map<string, number>()
  /** Times of the latest change of the settings, in epoch milliseconds. Earlier outcomes do not count. */
  const clearedAt = new Map<string, number>()
  const generationOf = (name: string): number => generations.get(name) ?? 0

  const store = (name: string, { by, latencyMs, error }: Outcome): void => {
    const before = health.get(name)
    const at = clock.now().getTime()
    const failingSince = error === null ? null : (before?.failingSince ?? at)
    const next: Health = { by, latencyMs, error, at, failingSince }
    health.set(name, next)
    const isChanged = before === undefined || before.error !== error
    const announce = () => {
      if (isChanged) onChange()
    }
    if (shared === null) announce()
    // Stored first, because other instances read it when they receive the announcement.
    else if (isChanged || by === 'check') void shared.put(name, next).catch(onError).finally(announce)
  }
  const clearOwn = (name: string): void => {
    generations.set(name, generationOf(name) + 1)
    clearedAt.set(name, clock.now().getTime())
    health.delete(name)
  }
  return {
    of: (name) => health.get(name) ?? null,
    begin(name) {
      const generation = generationOf(name)
      return (outcome) => {
        if (generationOf(name) === generation) store(name, outcome)
      }
    },
    clearOwn,
    clear(name) {
      clearOwn(name)
      shared?.remove(name).catch(onError)
    },
    async refresh() {
      for (const [name, found] of (await shared?.all()) ?? []) {
        // The outcome of earlier settings may be read before it is removed.
        if (found.at < (clearedAt.get(name) ?? 0)) continue
        if (found.at > (health.get(name)?.at ?? 0)) health.set(name, found)
      }
    },
  }
}

/**
 * The failures that show that a provider does not work. The others depend on the request or the caller: a
 * rejected parameter, too many calls, a cancelled call.
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

/** Returns what a call shows about its provider; null if it shows nothing. */
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
