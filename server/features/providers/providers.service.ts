import type { z } from 'zod'
import { providerNames } from '../../../contract/models/models.ts'
import type {
  CreateProviderBody,
  Provider,
  ProviderTest,
  UpdateProviderBody,
} from '../../../contract/models/providers.ts'
import { createSerialQueue } from '../../lib/async/serial-queue.ts'
import type { Context } from '../../lib/context.ts'
import { configurationProblem } from '../../models/configuration.ts'
import type { ObserveCall } from '../../models/model.ts'
import type { Provider as ProviderFacts } from '../../models/provider.ts'
import type { ProviderSettings } from '../../models/settings.ts'
import { outcomeOfCall } from './checks/health.ts'
import type { CheckTarget } from './checks/schedule.ts'
import type { ProviderRow } from './providers.store.ts'
import { describe, findState, type Providers, type ProvidersDeps, requireState, rowOf } from './providers.ts'
import { removeProvider } from './remove.ts'
import { createProvider, updateProvider } from './save.ts'
import { factsOf, toChoice, toSettings } from './state.ts'
import { changeStored, readAgain, readRows } from './stored-rows.ts'

export type ProvidersService = Awaited<ReturnType<typeof createProvidersService>>

/** The model providers: their settings, their keys, and whether they work. */
export async function createProvidersService(deps: ProvidersDeps) {
  const providers: Providers = { ...deps, rows: await readRows(deps.db.read), changes: createSerialQueue() }
  return {
    ...administration(providers),
    ...use(providers),
    reload: () => providers.changes.run(() => readAgain(providers)),
  }
}

/** The routes of an admin. */
const administration = (providers: Providers) => ({
  async list(_ctx: Context) {
    await providers.health.refresh()
    const data = namesOf(providers).map((name) => describe(providers, name))
    return { data, total: data.length, next_cursor: null }
  },
  async get(_ctx: Context, name: string): Promise<Provider> {
    await providers.health.refresh()
    return describe(providers, name)
  },
  create: (ctx: Context, body: z.output<typeof CreateProviderBody>) =>
    changeStored(providers, () => createProvider(providers, ctx, body)),
  update: (ctx: Context, name: string, body: z.output<typeof UpdateProviderBody>) =>
    changeStored(providers, () => updateProvider(providers, ctx, name, body)),
  remove: (ctx: Context, name: string): Promise<{ ok: true }> =>
    changeStored(providers, () => removeProvider(providers, ctx, name)),
  test: (_ctx: Context, name: string): Promise<ProviderTest> => check(providers, name),
})

/**
 * Returns a function for the settings of a provider. Every model call needs them several times, and decrypting the key
 * takes longer than all the rest, so they are computed once for each stored row. A change replaces the row.
 */
function settingsReader(providers: Providers) {
  const computed = new WeakMap<ProviderRow, ProviderSettings>()
  return (name: string): ProviderSettings => {
    const row = rowOf(providers, name)
    const known = row === null ? undefined : computed.get(row)
    if (known !== undefined) return known
    const state = findState(providers, name, row)
    const settings = state === null ? deletedSettings : toSettings(state)
    if (row !== null) computed.set(row, settings)
    return settings
  }
}

/** The functions for callers of models and for background checks. */
const use = (providers: Providers) => ({
  async choices(_ctx: Context) {
    await providers.health.refresh()
    return namesOf(providers).map((name) =>
      toChoice(requireState(providers, name), providers.health.of(name)),
    )
  },
  has: (name: string): boolean => factsOf(name, rowOf(providers, name)) !== null,
  /** Called for each model call. */
  factsOf: (name: string): ProviderFacts | null => factsOf(name, rowOf(providers, name)),
  settingsOf: settingsReader(providers),
  /** Stores whether a call worked. */
  observeCall: ((name) => {
    const store = providers.health.begin(name)
    return (outcome) => {
      const counted = outcomeOfCall(outcome)
      if (counted !== null) store(counted)
    }
  }) satisfies ObserveCall,
  check: (name: string, signal: AbortSignal) => check(providers, name, signal),
  checkTargets: (): CheckTarget[] => checkTargets(providers),
  /** Takes over the outcomes of checks of other instances. */
  refreshHealth: () => providers.health.refresh(),
})

/** The settings of a provider that was deleted after a call of it was planned. */
const deletedSettings: ProviderSettings = {
  isEnabled: false,
  baseUrl: null,
  hasKey: false,
  isKeyLost: false,
  key: () => null,
  models: [],
  defaultModel: null,
  isLocal: false,
  concurrency: null,
}

/** The built-in providers, then the added ones by label. */
function namesOf({ rows }: Providers): string[] {
  const added = [...rows.values()].flatMap(({ name, label }) => (label === null ? [] : [{ name, label }]))
  const sorted = added.toSorted((a, b) => a.label.localeCompare(b.label) || a.name.localeCompare(b.name))
  return [...providerNames, ...sorted.map(({ name }) => name)]
}

/** Tests the connection and stores the outcome. */
async function check(providers: Providers, name: string, signal?: AbortSignal): Promise<ProviderTest> {
  const state = requireState(providers, name)
  const store = providers.health.begin(name)
  const result = await providers.testConnection(state, signal)
  if (result.error_type !== 'not_configured')
    store({ by: 'check', latencyMs: result.latency_ms, error: result.ok ? null : result.message })
  return result
}

/**
 * Returns the providers to check in the background: those that can be called, and that an admin set up or
 * someone has used. A provider that only has its built-in settings gets no request on its own.
 */
function checkTargets(providers: Providers): CheckTarget[] {
  return namesOf(providers).flatMap((name) => {
    const state = requireState(providers, name)
    const health = providers.health.of(name)
    const isUsed = rowOf(providers, name) !== null || health !== null
    const isCallable = configurationProblem(state.facts, toSettings(state)) === null
    return state.facts.modelList !== null && isUsed && isCallable ? [{ name, health }] : []
  })
}
