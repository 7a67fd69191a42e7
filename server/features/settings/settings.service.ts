import { isDeepStrictEqual } from 'node:util'
import type { z } from 'zod'
import type { Permission, Role } from '../../../contract/roles.ts'
import { maxPrices, type Price, type Settings, type UpdateSettingsBody } from '../../../contract/settings.ts'
import type { LiveAccess } from '../../auth/identity.ts'
import { newServiceToken, type StoredServiceToken, sourceOf } from '../../auth/service-token.ts'
import type { Config } from '../../config.ts'
import type { SettingsTable } from '../../db/schema/schema.ts'
import type { Db, Tx } from '../../db/types.ts'
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
} from './settings.values.ts'

export type SettingsDeps = {
  readonly db: Db
  readonly history: History
  readonly config: Pick<Config, 'serviceToken' | 'runRetentionDays'>
  readonly liveAccess: LiveAccess
}

export type PriceChange = { readonly before: readonly Price[]; readonly after: readonly Price[] }

export type SettingsService = {
  /** Returns the current settings from memory; they change after commit. */
  current(): SettingValues
  /** Calls the listener after each change. Returns a function that removes it. */
  listen(listener: (values: SettingValues) => void): () => void
  permissionOverrides(): Partial<Record<Permission, Role>>
  storedServiceToken(): StoredServiceToken | null
  get(ctx: Context): Promise<Settings>
  update(ctx: Context, body: z.output<typeof UpdateSettingsBody>): Promise<Settings>
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

/** Throws the 403 for an API token: a leaked token must not create others that outlive it. */
function refuseApiToken(ctx: Context, why: string): void {
  if (ctx.actor.kind === 'api_token') throw fail('auth.forbidden', { detail: `${why}. Sign in as an admin.` })
}

export async function createSettingsService({
  db,
  history,
  config,
  liveAccess,
}: SettingsDeps): Promise<SettingsService> {
  const listeners = new Set<(values: SettingValues) => void>()
  let state: SettingsState = stateOf(await allSettings(db.read), config.runRetentionDays)
  let overrides: Partial<Record<Permission, Role>> = {}
  const adopt = (next: SettingsState) => {
    state = next
    overrides = { 'workspaces.create': next.values.workspaceCreationRole }
  }
  adopt(state)

  /** Stores one setting, which takes effect after commit. */
  const put = async (tx: Tx, ctx: Context, key: string, value: unknown) => {
    const row: SettingsTable = {
      key,
      value: JSON.stringify(value),
      updated_at: ctx.now.getTime(),
      updated_by: ctx.actor.name,
    }
    await putSetting(tx.q, row)
    tx.afterCommit(() => {
      const rows = new Map(state.rows).set(key, row)
      adopt(stateOf([...rows.values()], config.runRetentionDays))
      for (const listener of listeners) listener(state.values)
    })
  }

  const change = async (
    tx: Tx,
    ctx: Context,
    name: SettingName,
    body: z.output<typeof UpdateSettingsBody>,
  ) => {
    const before = editable(stateOf(await allSettings(tx.q), config.runRetentionDays).values)
    if (body[name] === undefined || isDeepStrictEqual(before[name], body[name])) return
    if (name === 'run_retention_days' && config.runRetentionDays !== null) {
      throw invalid(
        name,
        'The environment variable RUN_RETENTION_DAYS decides this; unset it to change it here',
      )
    }
    if (name === 'api_tokens_may_create_admins')
      refuseApiToken(ctx, 'An API token cannot change this setting')
    await put(tx, ctx, name, body[name])
    const prices = differingPrices(before.prices, body.prices ?? before.prices)
    await history.record(tx, ctx, {
      action: 'setting_change',
      resource: 'setting',
      resourceId: name,
      key: name,
      summary:
        name === 'prices'
          ? `Changed the price table (${prices.after.length} new or changed, ${prices.before.length} removed or replaced)`
          : `Changed ${name} from ${before[name]} to ${body[name]}`,
      before: { [name]: name === 'prices' ? prices.before : before[name] },
      after: { [name]: name === 'prices' ? prices.after : body[name] },
    })
  }

  const toWire = (): Settings => {
    const updated = [...state.rows.values()].map((row): [string, { at: string; by: string }] => [
      row.key,
      { at: new Date(row.updated_at).toISOString(), by: row.updated_by },
    ])
    const fixed: string[] = config.runRetentionDays === null ? [] : ['run_retention_days']
    if (config.serviceToken !== null) fixed.push(serviceTokenKey)
    const source = sourceOf(config.serviceToken, state.serviceToken)
    return {
      ...editable(state.values),
      service_token: { source, hint: source === 'stored' ? (state.serviceToken?.hint ?? null) : null },
      fixed,
      updated: Object.fromEntries(updated),
    }
  }

  return {
    current: () => state.values,
    listen(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    permissionOverrides: () => overrides,
    storedServiceToken: () => state.serviceToken,

    async get() {
      return toWire()
    },

    /** Changes settings. Each setting that differs has an audit entry of its own. */
    async update(ctx, body) {
      if (body.prices !== undefined) requireDistinctPrices(body.prices)
      // A shorter retention frees space, so it must be possible in a full store.
      const evenWhenFull = body.run_retention_days !== undefined && body.prices === undefined
      await db.write(
        async (tx) => {
          for (const name of settingNames) await change(tx, ctx, name, body)
        },
        { evenWhenFull },
      )
      return toWire()
    },

    async putPricesOf(tx, ctx, provider, given) {
      const wanted = given ?? defaultPrices.filter((price) => price.provider === provider)
      requireDistinctPrices(wanted)
      const before = stateOf(await allSettings(tx.q), config.runRetentionDays).values.prices
      const after = [...before.filter((price) => price.provider !== provider), ...wanted]
      if (after.length > maxPrices) {
        throw invalid('prices', `The table of all providers holds ${maxPrices} prices at most`)
      }
      const differing = differingPrices(before, after)
      if (differing.before.length + differing.after.length === 0) return null
      await put(tx, ctx, 'prices', after)
      return differing
    },

    async setServiceToken(ctx) {
      if (config.serviceToken !== null) {
        throw fail('request.invalid', {
          detail:
            'The environment variable SERVICE_TOKEN decides the service token; unset it to make one here.',
        })
      }
      if (!state.values.apiTokensMayCreateAdmins)
        refuseApiToken(ctx, 'An API token cannot create a service token unless the settings allow it')
      const before = sourceOf(null, state.serviceToken)
      const { token, stored } = newServiceToken()
      await db.write(async (tx) => {
        await put(tx, ctx, serviceTokenKey, stored)
        await history.record(tx, ctx, {
          action: 'setting_change',
          resource: 'setting',
          resourceId: serviceTokenKey,
          key: serviceTokenKey,
          summary: 'Made a new service token; the one before is no longer accepted',
          before: { source: before },
          after: { source: 'stored' },
        })
      })
      liveAccess.recheck({ tokenKind: 'service_token' })
      return { token, hint: stored.hint }
    },
  }
}
