import { checkRequest } from './check-request.ts'
import { configurationProblem } from './configuration.ts'
import {
  type DirectModels,
  type DirectProvider,
  type Model,
  type ModelChoice,
  ModelError,
  type ModelLoad,
  type Models,
  type ObserveCall,
} from './model.ts'
import { withLimits } from './policies/call-limits.ts'
import { createFairQueue, type FairQueue, type QueueBounds } from './policies/fair-queue.ts'
import { withRetries } from './policies/retry.ts'
import { type Sleep, sleep as systemSleep } from './policies/sleep.ts'
import type { Provider } from './provider.ts'
import { builtInProvider } from './providers.ts'
import type { Fetch, ProviderSettings } from './settings.ts'
import type { Source } from './source.ts'

export type ModelsParts = {
  /** Returns the facts of a provider; null if there is none of this name. Default: the built-in ones. */
  readonly providerOf?: (name: string) => Provider | null
  readonly settingsOf: (name: string) => ProviderSettings
  /**
   * Returns the `fetch` of a provider, which enforces its allowed hosts. Its `ModelError`s reach the caller
   * unchanged.
   */
  readonly fetchOf: (name: string) => Fetch
  readonly observe?: ObserveCall
  /** Time limit of a call that sets none, in milliseconds. */
  readonly timeoutMs?: number
  /** Maximum time without activity in a stream that has begun, in milliseconds. */
  readonly stallMs?: number
  /** Limits for the number of calls that wait for a provider. */
  readonly queue?: QueueBounds
  readonly sleep?: Sleep
  readonly random?: () => number
}

type Callable = {
  readonly queue: FairQueue
  readonly source: Source
  readonly generate: Model['generate']
}

/** Creates the providers, each with its policies. Settings are read for each call. */
export function createModels(parts: ModelsParts): Models & DirectModels & { readonly load: ModelLoad } {
  const { providerOf = builtInProvider } = parts
  /** Created at first use. A deleted provider keeps its entry, for the calls that still run. */
  const callable = new Map<string, Callable>()
  const callableOf = (name: string, provider: Provider): Callable => {
    const existing = callable.get(name)
    if (existing !== undefined) return existing
    const queue = createFairQueue(parts.queue)
    const settings = () => parts.settingsOf(name)
    const { sleep = systemSleep } = parts
    const source = provider.adapter({ settings, fetch: parts.fetchOf(name), sleep })
    const created = { queue, source, generate: generateWith(parts, name, provider, { queue, source }) }
    callable.set(name, created)
    return created
  }

  return {
    load: () =>
      [...callable.values()]
        .map(({ queue }) => queue.load())
        .reduce(
          (sum, { running, waiting }) => ({
            running: sum.running + running,
            waiting: sum.waiting + waiting,
          }),
          { running: 0, waiting: 0 },
        ),
    find(name): ModelChoice | null {
      const provider = providerOf(name)
      if (provider === null) return null
      const settings = parts.settingsOf(name)
      return {
        name,
        defaultModel: settings.defaultModel,
        isConfigured: configurationProblem(provider, settings) === null,
        generate: callableOf(name, provider).generate,
      }
    },
    direct(name) {
      const provider = providerOf(name)
      if (provider === null) return null
      const { queue, source } = callableOf(name, provider)
      const settings = parts.settingsOf(name)
      const { label, kind, keyHeaders } = provider
      return {
        name,
        label,
        kind,
        keyHeaders,
        settings,
        generate: generateInside(provider, source),
        refusal: (hasOwnKey) =>
          hasOwnKey
            ? configurationProblem({ ...provider, needsKey: false }, { ...settings, isKeyLost: false })
            : configurationProblem(provider, settings),
        take: (signal, principal) => queue.take(parts.settingsOf(name).concurrency, signal, principal),
        observe: () => parts.observe?.(name) ?? (() => undefined),
      }
    },
  }
}

/** Returns the calls of a provider without an address, which the caller limits; null for any other provider. */
function generateInside(provider: Provider, source: Source): DirectProvider['generate'] {
  if (provider.needsBaseUrl) return null
  return async function* (request, signal) {
    checkRequest(provider, request)
    for await (const part of source(request, signal)) if (part.type !== 'activity') yield part
  }
}

/** Returns the calls of a provider with its limits, retries and queue. */
function generateWith(
  parts: ModelsParts,
  name: string,
  provider: Provider,
  { queue, source }: Omit<Callable, 'generate'>,
): Model['generate'] {
  const { timeoutMs = 120_000, stallMs = 30_000, sleep = systemSleep, random = Math.random } = parts
  const { providerOf = builtInProvider, observe } = parts
  const settings = () => parts.settingsOf(name)
  return withLimits({
    source: provider.isRetryable ? withRetries(source, { sleep, random }) : source,
    queue,
    concurrency: () => settings().concurrency,
    check(request) {
      // Its label may have changed since the first call.
      const current = providerOf(name) ?? provider
      const reason = configurationProblem(current, settings())
      if (reason !== null) throw new ModelError('not_configured', reason)
      checkRequest(current, request)
    },
    totalMs: timeoutMs,
    stallMs,
    ...(observe !== undefined && { observe: () => observe(name) }),
  })
}
