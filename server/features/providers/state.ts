import { z } from 'zod'
import type { ProviderChoice } from '../../../contract/models/provider-choice.ts'
import type { Provider, ProviderPrice } from '../../../contract/models/providers.ts'
import { configurationProblem } from '../../models/configuration.ts'
import type { Provider as ProviderFacts } from '../../models/provider.ts'
import { addedProvider, builtInProvider } from '../../models/providers.ts'
import type { ProviderSettings } from '../../models/settings.ts'
import type { Opened, Vault } from '../../secrets/vault.ts'
import type { Health } from './checks/health.ts'
import type { ProviderRow } from './providers.store.ts'

/** The purpose to which an encrypted key is bound. */
export const keyPurpose = 'api_key'

/** The effective settings of a provider: the stored ones override the built-in ones. */
export type ProviderState = {
  readonly name: string
  readonly facts: ProviderFacts
  readonly isBuiltIn: boolean
  readonly baseUrl: string | null
  readonly models: readonly string[]
  readonly defaultModel: string | null
  readonly isEnabled: boolean
  readonly isLocal: boolean
  readonly concurrency: number | null
  /** Null: no key was set. */
  readonly key: Opened | null
}

const Models = z.array(z.string())
const orElse = <T, F>(value: T | null | undefined, fallback: F): T | F => value ?? fallback

/** Returns the facts of a provider; null if there is none of this name. */
export function factsOf(name: string, row: ProviderRow | null): ProviderFacts | null {
  const label = row?.label ?? null
  return builtInProvider(name) ?? (label === null ? null : addedProvider(label))
}

/** Returns the effective settings. `row` null: nothing was stored. */
export function stateOf(
  name: string,
  facts: ProviderFacts,
  row: ProviderRow | null,
  vault: Pick<Vault, 'open'>,
): ProviderState {
  const storedModels = row?.models ?? null
  const models = storedModels === null ? facts.models : Models.parse(JSON.parse(storedModels))
  const preferred = orElse(row?.default_model, facts.defaultModel)
  const isListed = preferred !== null && (models.length === 0 || models.includes(preferred))
  const sealed = row?.key_sealed ?? null
  return {
    name,
    facts,
    isBuiltIn: builtInProvider(name) !== null,
    baseUrl: orElse(row?.base_url, facts.baseUrl),
    models,
    defaultModel: isListed ? preferred : orElse(models[0], null),
    isEnabled: row?.enabled !== 0,
    isLocal: orElse(row?.local, Number(facts.isLocal)) === 1,
    concurrency: orElse(row?.concurrency, facts.concurrency),
    key: sealed === null ? null : vault.open(name, keyPurpose, sealed),
  }
}

/** Returns the key; null if there is none or it cannot be decrypted. */
export const keyTextOf = ({ key }: ProviderState): string | null =>
  key !== null && 'text' in key ? key.text : null

const keyProblemOf = ({ key }: ProviderState): string | null =>
  key !== null && 'problem' in key ? `The key cannot be read: ${key.problem}.` : null

/** Returns the settings in the form for calling models. */
export const toSettings = (state: ProviderState): ProviderSettings => ({
  isEnabled: state.isEnabled,
  baseUrl: state.baseUrl,
  hasKey: keyTextOf(state) !== null,
  isKeyLost: keyProblemOf(state) !== null,
  key: () => keyTextOf(state),
  models: state.models,
  defaultModel: state.defaultModel,
  isLocal: state.isLocal,
  concurrency: state.concurrency,
})

/** Returns the status of a provider with the facts of its last check or call. */
function statusOf({ facts, isEnabled }: ProviderState, isConfigured: boolean, health: Health | null) {
  const unknown = { checked_at: null, checked_by: null, latency_ms: null, failing_since: null, error: null }
  if (!isEnabled) return { status: 'disabled', ...unknown } as const
  if (!isConfigured) return { status: 'not_configured', ...unknown } as const
  if (facts.modelList === null) return { status: 'ready', ...unknown } as const
  if (health === null) return { status: 'unchecked', ...unknown } as const
  return {
    status: health.error === null ? 'ready' : 'failing',
    checked_at: timeOf(health.at),
    checked_by: health.by,
    latency_ms: health.latencyMs,
    failing_since: timeOf(health.failingSince),
    error: health.error,
  } as const
}

/** Returns the provider as every signed-in user may see it. */
export function toChoice(state: ProviderState, health: Health | null): ProviderChoice {
  const reason = configurationProblem(state.facts, toSettings(state))
  return {
    name: state.name,
    label: state.facts.label,
    kind: state.facts.kind,
    models: [...state.models],
    default_model: state.defaultModel,
    configured: reason === null,
    reason: reason === null ? null : `${reason}.`,
    local: state.isLocal,
    built_in: state.isBuiltIn,
    ...statusOf(state, reason === null, health),
  }
}

const timeOf = (at: number | null | undefined): string | null =>
  at === null || at === undefined ? null : new Date(at).toISOString()

export function toWire(
  state: ProviderState,
  row: ProviderRow | null,
  prices: readonly ProviderPrice[],
  health: Health | null,
): Provider {
  const { facts } = state
  return {
    ...toChoice(state, health),
    base_url: state.baseUrl,
    default_base_url: facts.baseUrl,
    enabled: state.isEnabled,
    concurrency: state.concurrency,
    needs_key: facts.needsKey,
    has_key: keyTextOf(state) !== null,
    key_hint: row?.key_hint ?? null,
    key_set_at: timeOf(row?.key_set_at),
    key_problem: keyProblemOf(state),
    prices: [...prices],
    updated_at: timeOf(row?.updated_at),
    updated_by: row?.updated_by ?? null,
  }
}
