import { z } from 'zod'
import type { Price } from '../../../contract/models/prices.ts'
import { type Settings, settingValues } from '../../../contract/system/settings.ts'
import { type StoredServiceToken, sourceOf } from '../../auth/tokens/service-token.ts'
import type { Config } from '../../config.ts'
import type { SettingsTable } from '../../db/schema/schema.ts'
import { invalid } from '../../lib/fail.ts'
import { defaultPrices } from '../../models/default-prices.ts'

export type SettingName = keyof typeof settingValues
/** The settings that a PATCH may change, by their name on the wire and in the store. */
export const settingNames = Object.keys(settingValues) as readonly SettingName[]
type Editable = Pick<Settings, SettingName>
export const serviceTokenKey = 'service_token'

const schemas: { readonly [N in SettingName]: z.ZodType<Editable[N]> } = settingValues
const StoredToken = z.object({ hash: z.string().regex(/^[0-9a-f]{64}$/), hint: z.string() })
/** Returns the stored value of a setting, or undefined. Throws for a value that this version cannot read. */
type ReadSetting = <N extends SettingName>(name: N) => Editable[N] | undefined

/** Returns the settings that other services use, with defaults. `prices` remains the same array until it changes. */
const valuesOf = (read: ReadSetting, fixedRetentionDays: number | null) => ({
  workspaceCreationRole: read('workspace_creation_role') ?? 'editor',
  runRetentionDays: fixedRetentionDays ?? read('run_retention_days') ?? 90,
  capture: read('capture') ?? 'off',
  payloadRetentionDays: read('payload_retention_days') ?? 7,
  payloadMaxMb: read('payload_max_mb') ?? 1024,
  prices: read('prices') ?? defaultPrices,
  apiTokenMaxDays: read('api_token_max_days') ?? 365,
  apiTokensMayCreateAdmins: read('api_tokens_may_create_admins') ?? false,
  deviceDays: read('device_days') ?? 90,
  lanPasswordSignIn: read('lan_password_sign_in') ?? false,
  requireSecondFactor: read('require_second_factor') ?? false,
  budget: read('budget') ?? null,
  virtualModels: read('virtual_models') ?? [],
})
export type SettingValues = Readonly<ReturnType<typeof valuesOf>>

export type SettingsState = {
  readonly values: SettingValues
  readonly serviceToken: StoredServiceToken | null
  readonly rows: ReadonlyMap<string, SettingsTable>
}

/** Returns the stored settings. Throws for a value that this version cannot read: a default would overwrite it. */
export function stateOf(rows: readonly SettingsTable[], fixedRetentionDays: number | null): SettingsState {
  const byKey = new Map(rows.map((row) => [row.key, row]))
  const read = <T>(key: string, schema: z.ZodType<T>): T | undefined => {
    const row = byKey.get(key)
    if (row === undefined) return undefined
    const parsed = schema.safeParse(JSON.parse(row.value))
    if (parsed.success) return parsed.data
    throw new Error(`The stored setting ${key} cannot be read: ${parsed.error.issues[0]?.message}`)
  }
  const readSetting: ReadSetting = (name) => read(name, schemas[name])
  return {
    values: valuesOf(readSetting, fixedRetentionDays),
    serviceToken: read(serviceTokenKey, StoredToken) ?? null,
    rows: byKey,
  }
}

/** Returns the settings by their name on the wire. */
export function editable(values: SettingValues): Editable {
  return {
    workspace_creation_role: values.workspaceCreationRole,
    run_retention_days: values.runRetentionDays,
    capture: values.capture,
    payload_retention_days: values.payloadRetentionDays,
    payload_max_mb: values.payloadMaxMb,
    prices: [...values.prices],
    api_token_max_days: values.apiTokenMaxDays,
    api_tokens_may_create_admins: values.apiTokensMayCreateAdmins,
    device_days: values.deviceDays,
    lan_password_sign_in: values.lanPasswordSignIn,
    require_second_factor: values.requireSecondFactor,
    budget: values.budget,
    virtual_models: [...values.virtualModels],
  }
}

/** Returns the settings in the form of the API. */
export function toWire(
  { values, serviceToken, rows }: SettingsState,
  config: Pick<Config, 'serviceToken' | 'runRetentionDays'>,
): Settings {
  const updated = [...rows.values()].map((row): [string, { at: string; by: string }] => [
    row.key,
    { at: new Date(row.updated_at).toISOString(), by: row.updated_by },
  ])
  const fixed: string[] = config.runRetentionDays === null ? [] : ['run_retention_days']
  if (config.serviceToken !== null) fixed.push(serviceTokenKey)
  const source = sourceOf(config.serviceToken, serviceToken)
  return {
    ...editable(values),
    service_token: { source, hint: source === 'stored' ? (serviceToken?.hint ?? null) : null },
    fixed,
    updated: Object.fromEntries(updated),
  }
}

/** Throws 422 for a repeated price, because it would be undefined which one applies. */
export function requireDistinctPrices(prices: readonly Price[]): void {
  const seen = new Map<string, number>()
  for (const [index, { provider, model, from }] of prices.entries()) {
    const name = JSON.stringify([provider, model, from])
    const first = seen.get(name)
    if (first !== undefined) {
      throw invalid(
        `prices.${index}`,
        `A price for ${provider} ${model} from ${from} already exists (row ${first + 1})`,
      )
    }
    seen.set(name, index)
  }
}

/**
 * Returns the entries that only one of two price lists contains, so that an audit entry shows only the
 * difference.
 */
export function differingPrices(before: readonly Price[], after: readonly Price[]) {
  const textsOf = (prices: readonly Price[]) => new Set(prices.map((price) => priceText(price)))
  const [textsBefore, textsAfter] = [textsOf(before), textsOf(after)]
  return {
    before: before.filter((price) => !textsAfter.has(priceText(price))),
    after: after.filter((price) => !textsBefore.has(priceText(price))),
  }
}

const priceText = (price: Price) =>
  JSON.stringify([
    price.provider,
    price.model,
    price.from,
    price.input_usd_per_million,
    price.output_usd_per_million,
  ])
