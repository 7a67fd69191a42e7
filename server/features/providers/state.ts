import { z } from 'zod'
import type { ProviderName } from '../../../contract/models/models.ts'
import type { Provider, ProviderPrice } from '../../../contract/models/providers.ts'
import { configurationProblem } from '../../models/configuration.ts'
import { providers } from '../../models/providers.ts'
import type { ProviderSettings } from '../../models/settings.ts'
import type { Opened, Vault } from '../../secrets/vault.ts'
import type { ProviderRow } from './providers.store.ts'

/** The purpose to which an encrypted key is bound. */
export const keyPurpose = 'api_key'

/** The effective settings of a provider: the stored ones override the built-in ones. */
export type ProviderState = {
  readonly name: ProviderName
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

/** Returns the effective settings. `row` null: nothing was stored. */
export function stateOf(
  name: ProviderName,
  row: ProviderRow | null,
  vault: Pick<Vault, 'open'>,
): ProviderState {
  const facts = providers[name]
  const storedModels = row?.models ?? null
  const models = storedModels === null ? facts.models : Models.parse(JSON.parse(storedModels))
  const preferred = orElse(row?.default_model, facts.defaultModel)
  const isListed = preferred !== null && (models.length === 0 || models.includes(preferred))
  const sealed = row?.key_sealed ?? null
  return {
    name,
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

/** Returns the provider as every signed-in user may see it. */
export function toChoice(state: ProviderState) {
  const reason = configurationProblem(state.name, toSettings(state))
  return {
    name: state.name,
    label: providers[state.name].label,
    kind: providers[state.name].kind,
    models: [...state.models],
    default_model: state.defaultModel,
    configured: reason === null,
    reason: reason === null ? null : `${reason}.`,
    local: state.isLocal,
  }
}

const timeOf = (at: number | null | undefined): string | null =>
  at === null || at === undefined ? null : new Date(at).toISOString()

export function toWire(
  state: ProviderState,
  row: ProviderRow | null,
  prices: readonly ProviderPrice[],
): Provider {
  const facts = providers[state.name]
  return {
    ...toChoice(state),
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
