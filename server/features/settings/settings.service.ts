import { isDeepStrictEqual } from 'node:util'
import type { z } from 'zod'
import type { Permission, Role } from '../../../contract/common/roles.ts'
import { maxPrices, type Price } from '../../../contract/models/prices.ts'
import type { Settings, UpdateSettingsBody } from '../../../contract/system/settings.ts'
import type { LiveAccess } from '../../auth/identity/identity.ts'
import { newServiceToken, type StoredServiceToken, sourceOf } from '../../auth/tokens/service-token.ts'
import type { Config } from '../../config.ts'
import type { SettingsTable } from '../../db/schema/schema.ts'
import type { Db, Query, Tx } from '../../db/types.ts'
import type { History } from '../../history/history.ts'
import type { Context } from '../../lib/context.ts'
import { fail, invalid } from '../../lib/fail.ts'
import { defaultPrices } from '../../models/default-prices.ts'
import { allSettings, putSetting } from './settings.store.ts'
import {
  differingPrices,
  editable,
  requireDistinctPrices,
  type SettingName,
  type SettingsState,
  type SettingValues,
  serviceTokenKey,
  settingNames,
  stateOf,
  toWire,
} from './settings.values.ts'

export type SettingsDeps = {
  readonly db: Db
  readonly history: History
  readonly config: Pick<Config, 'serviceToken' | 'runRetentionDays'>
  readonly liveAccess: LiveAccess
}

type UpdateBody = z.output<typeof UpdateSettingsBody>

export type PriceChange = { readonly before: readonly Price[]; readonly after: readonly Price[] }

export type SettingsService = {
  /** Returns the current settings from memory; they change after commit. */
  current(): SettingValues
  /** Calls the listener after each change. Returns a function that removes it. */
  listen(listener: Listener): () => void
  /** Reads the settings from the store again, because another instance changed them. */
  reload(): Promise<void>
  permissionOverrides(): Partial<Record<Permission, Role>>
  storedServiceToken(): StoredServiceToken | null
  get(ctx: Context): Promise<Settings>
  update(ctx: Context, body: UpdateBody): Promise<Settings>
  /**
   * Replaces the prices of one provider in the caller's transaction. Returns the difference, or null if
   * nothing differs. `prices` null: the built-in prices.
   */
  putPricesOf(
    tx: Tx,
    ctx: Context,
    provider: string,
    prices: readonly Price[] | null,
  ): Promise<PriceChange | null>
  setServiceToken(ctx: Context): Promise<{ token: string; hint: string }>
}

type Listener = (values: SettingValues) => void

type State = SettingsDeps & {
  /** The settings on disk. Replaced as a whole after a commit. */
  settings: SettingsState
  permissionOverrides: Partial<Record<Permission, Role>>
  readonly listeners: Set<Listener>
}

/** Creates the settings, which are read from the store once and then kept in memory. */
export async function createSettingsService(deps: SettingsDeps): Promise<SettingsService> {
  const settings = await readSettings(deps, deps.db.read)
  const state: State = {
    ...deps,
    settings,
    permissionOverrides: overridesOf(settings),
    listeners: new Set(),
  }
  return {
    current: () => state.settings.values,
    listen(listener) {
      state.listeners.add(listener)
      return () => state.listeners.delete(listener)
    },
    reload: () => reload(state),
    permissionOverrides: () => state.permissionOverrides,
    storedServiceToken: () => state.settings.serviceToken,
    get: async () => toWire(state.settings, state.config),
    update: (ctx, body) => update(state, ctx, body),
    putPricesOf: (tx, ctx, provider, prices) => putPricesOf(state, tx, ctx, provider, prices),
    setServiceToken: (ctx) => setServiceToken(state, ctx),
  }
}

const readSettings = async ({ config }: Pick<SettingsDeps, 'config'>, q: Query): Promise<SettingsState> =>
  stateOf(await allSettings(q), config.runRetentionDays)

const overridesOf = ({ values }: SettingsState): Partial<Record<Permission, Role>> => ({
  'workspaces.create': values.workspaceCreationRole,
})

/** Stores one setting, which takes effect after commit. */
async function put(state: State, tx: Tx, ctx: Context, key: string, value: unknown): Promise<void> {
  const row: SettingsTable = {
    key,
    value: JSON.stringify(value),
    updated_at: ctx.now.getTime(),
    updated_by: ctx.actor.name,
  }
  await putSetting(tx.q, row)
  tx.afterCommit(() => {
    const rows = new Map(state.settings.rows).set(key, row)
    apply(state, stateOf([...rows.values()], state.config.runRetentionDays))
  })
}

/** Reads the settings, again if this process changed one meanwhile: an older state must not replace that change. */
async function reload(state: State): Promise<void> {
  for (;;) {
    const before = state.settings
    const read = await readSettings(state, state.db.read)
    if (state.settings === before) return apply(state, read)
  }
}

/** Replaces the settings in memory. */
function apply(state: State, settings: SettingsState): void {
  state.settings = settings
  state.permissionOverrides = overridesOf(settings)
  for (const listener of state.listeners) listener(settings.values)
}

/** Changes settings. Each setting that differs has an audit entry of its own. */
async function update(state: State, ctx: Context, body: UpdateBody): Promise<Settings> {
  if (body.prices !== undefined) requireDistinctPrices(body.prices)
  // A shorter retention frees space, so it must be possible in a full store.
  const evenWhenFull = body.run_retention_days !== undefined && body.prices === undefined
  await state.db.write(
    async (tx) => {
      for (const name of settingNames) await change(state, tx, ctx, name, body)
    },
    { evenWhenFull },
  )
  return toWire(state.settings, state.config)
}

async function change(
  state: State,
  tx: Tx,
  ctx: Context,
  name: SettingName,
  body: UpdateBody,
): Promise<void> {
  const before = editable((await readSettings(state, tx.q)).values)
  if (body[name] === undefined || isDeepStrictEqual(before[name], body[name])) return
  requireChangeable(state, ctx, name)
  await put(state, tx, ctx, name, body[name])
  const prices = differingPrices(before.prices, body.prices ?? before.prices)
  await state.history.record(tx, ctx, {
    action: 'setting_change',
    resource: 'setting',
    resourceId: name,
    key: name,
    summary: summaryOf(name, before[name], body[name], prices),
    before: { [name]: name === 'prices' ? prices.before : before[name] },
    after: { [name]: name === 'prices' ? prices.after : body[name] },
  })
}

function summaryOf(name: SettingName, before: unknown, after: unknown, prices: PriceChange): string {
  if (name === 'prices')
    return `Changed the price table (${prices.after.length} new or changed, ${prices.before.length} removed or replaced)`
  if (name === 'budget') return `${after === null ? 'Removed' : 'Set'} the budget of all calls`
  if (name === 'virtual_models') return 'Changed the virtual models of the gateway'
  return `Changed ${name} from ${before} to ${after}`
}

/** Throws if the environment fixes the setting, or if the caller may not change it. */
function requireChangeable({ config }: State, ctx: Context, name: SettingName): void {
  if (name === 'run_retention_days' && config.runRetentionDays !== null) {
    throw invalid(
      name,
      'This is set by the environment variable RUN_RETENTION_DAYS; unset it to change the setting here',
    )
  }
  if (name === 'api_tokens_may_create_admins' || name === 'require_second_factor')
    rejectApiToken(ctx, 'An API token cannot change this setting')
}

/** Throws the 403 for an API token: a leaked token must not create others that outlive it. */
function rejectApiToken(ctx: Context, message: string): void {
  if (ctx.actor.kind === 'api_token')
    throw fail('auth.forbidden', { detail: `${message}. Sign in as an admin.` })
}

async function putPricesOf(
  state: State,
  tx: Tx,
  ctx: Context,
  provider: string,
  prices: readonly Price[] | null,
): Promise<PriceChange | null> {
  const providerPrices = prices ?? defaultPrices.filter((price) => price.provider === provider)
  requireDistinctPrices(providerPrices)
  const before = (await readSettings(state, tx.q)).values.prices
  const after = [...before.filter((price) => price.provider !== provider), ...providerPrices]
  if (after.length > maxPrices) {
    throw invalid('prices', `All providers together can have at most ${maxPrices} prices`)
  }
  const differing = differingPrices(before, after)
  if (differing.before.length + differing.after.length === 0) return null
  await put(state, tx, ctx, 'prices', after)
  return differing
}

async function setServiceToken(state: State, ctx: Context): Promise<{ token: string; hint: string }> {
  const { db, history, config, liveAccess } = state
  const { values, serviceToken } = state.settings
  if (config.serviceToken !== null) {
    throw fail('request.invalid', {
      detail:
        'The service token is set by the environment variable SERVICE_TOKEN; unset it to create one here.',
    })
  }
  if (!values.apiTokensMayCreateAdmins)
    rejectApiToken(ctx, 'An API token cannot create a service token unless the settings allow it')
  const before = sourceOf(null, serviceToken)
  const { token, stored } = newServiceToken()
  await db.write(async (tx) => {
    await put(state, tx, ctx, serviceTokenKey, stored)
    await history.record(tx, ctx, {
      action: 'setting_change',
      resource: 'setting',
      resourceId: serviceTokenKey,
      key: serviceTokenKey,
      summary: 'Created a new service token; the previous token is rejected',
      before: { source: before },
      after: { source: 'stored' },
    })
  })
  liveAccess.recheck({ tokenKind: 'service_token' })
  return { token, hint: stored.hint }
}
