import { type ProviderName, providerNames } from '../../contract/models/models.ts'
import { checkRequest } from './check-request.ts'
import { configurationProblem } from './configuration.ts'
import { type Model, type ModelChoice, ModelError, type ModelLoad, type Models } from './model.ts'
import { withLimits } from './policies/call-limits.ts'
import { createFairQueue, type FairQueue, type QueueBounds } from './policies/fair-queue.ts'
import { withRetries } from './policies/retry.ts'
import { type Sleep, sleep as systemSleep } from './policies/sleep.ts'
import { providers } from './providers.ts'
import type { Fetch, ProviderSettings } from './settings.ts'

export type ModelsParts = {
  readonly settingsOf: (name: ProviderName) => ProviderSettings
  /**
   * Returns the `fetch` of a provider, which enforces its allowed hosts. Its `ModelError`s reach the caller
   * unchanged.
   */
  readonly fetchOf: (name: ProviderName) => Fetch
  /** Time limit of a call that sets none, in milliseconds. */
  readonly timeoutMs?: number
  /** Maximum time without activity in a stream that has begun, in milliseconds. */
  readonly stallMs?: number
  /** Limits for the number of calls that wait for a provider. */
  readonly queue?: QueueBounds
  readonly sleep?: Sleep
  readonly random?: () => number
}

/** Creates the built-in providers, each with its policies. Settings are read for each call. */
export function createModels(parts: ModelsParts): Models & { readonly load: ModelLoad } {
  const { timeoutMs = 120_000, stallMs = 30_000, sleep = systemSleep, random = Math.random } = parts

  const queues: FairQueue[] = []
  const newQueue = () => {
    const queue = createFairQueue(parts.queue)
    queues.push(queue)
    return queue
  }

  const generateWith = (name: ProviderName): Model['generate'] => {
    const settings = () => parts.settingsOf(name)
    const { adapter, isRetryable } = providers[name]
    const source = adapter({ settings, fetch: parts.fetchOf(name), sleep })
    return withLimits({
      source: isRetryable ? withRetries(source, { sleep, random }) : source,
      queue: newQueue(),
      concurrency: () => settings().concurrency,
      check(request) {
        const reason = configurationProblem(name, settings())
        if (reason !== null) throw new ModelError('not_configured', reason)
        checkRequest(name, request)
      },
      totalMs: timeoutMs,
      stallMs,
    })
  }
  const generate = new Map(providerNames.map((name) => [name, generateWith(name)]))

  return {
    load: () =>
      queues
        .map((queue) => queue.load())
        .reduce((sum, { running, waiting }) => ({
          running: sum.running + running,
          waiting: sum.waiting + waiting,
        })),
    find(requestedName): ModelChoice | null {
      for (const [name, generateWithLimits] of generate) {
        if (name !== requestedName) continue
        const settings = parts.settingsOf(name)
        return {
          name,
          defaultModel: settings.defaultModel,
          isConfigured: configurationProblem(name, settings) === null,
          generate: generateWithLimits,
        }
      }
      return null
    },
  }
}
