import type { ModelParams } from '../../contract/models/models.ts'
import type { GenerateRequest } from './model.ts'
import { bearer, type ModelList } from './model-list.ts'
import type { Sleep } from './policies/sleep.ts'
import type { Fetch, ProviderSettings } from './settings.ts'
import type { Source } from './source.ts'

/** US dollars per million tokens from a day on. `*` at the end of a model matches any continuation. */
export type ListPrice = readonly [model: string, from: string, input: number, output: number]

/** The services with which a provider creates its adapter. */
export type AdapterParts = {
  readonly settings: () => ProviderSettings
  readonly fetch: Fetch
  readonly sleep: Sleep
}

/** A built-in provider: its facts, prices and adapter. An admin's settings override the facts. */
export type Provider = {
  readonly label: string
  /** The protocol, as the API names it. */
  readonly kind: string
  /** Null: the provider has no address, or none that can be a default. */
  readonly baseUrl: string | null
  readonly needsBaseUrl: boolean
  readonly needsKey: boolean
  /** True if it runs on this machine or network, unless an admin changes it. */
  readonly isLocal: boolean
  readonly models: readonly string[]
  readonly defaultModel: string | null
  /** Concurrent calls; null: no limit. */
  readonly concurrency: number | null
  /**
   * Parameters that the protocol does not have. They are refused, not ignored: otherwise comparisons would be
   * misleading. A parameter that only some models lack is refused when the provider, or its library, reports
   * it.
   */
  readonly unsupportedParams: readonly (keyof ModelParams)[]
  /** True if the protocol separates instructions from messages: one between messages would be moved. */
  readonly hasLeadingInstructions: boolean
  /** Returns why the provider would refuse a request, for rules of its own; null if there is no reason. */
  readonly refusalOf?: (request: GenerateRequest) => string | null
  /** True if calls cost nothing. */
  readonly isFree: boolean
  /** Default prices, for each of the names that apps use for this provider. */
  readonly prices: { readonly names: readonly string[]; readonly models: readonly ListPrice[] } | null
  /** Returns the headers that authenticate a request of the provider's protocol. */
  readonly keyHeaders: (key: string | null) => Record<string, string>
  /** Null: the provider has no list of models to request. */
  readonly modelList: ModelList | null
  /** True if another attempt can succeed after a failure. */
  readonly isRetryable: boolean
  readonly adapter: (parts: AdapterParts) => Source
}

/** Facts of providers that need a key and are on the internet. */
export const remote = {
  needsBaseUrl: true,
  needsKey: true,
  isLocal: false,
  concurrency: 16,
  hasLeadingInstructions: false,
  isFree: false,
  isRetryable: true,
  keyHeaders: bearer,
} as const

/** Facts of providers that an admin runs. */
export const selfHosted = { ...remote, needsKey: false } as const

/** The price of models that an admin runs: none per token. */
export const freePrices: readonly ListPrice[] = [['*', '2020-01-01', 0, 0]]
