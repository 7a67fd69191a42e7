import { z } from 'zod'
import { Budget } from '../../../contract/gateway/budgets.ts'
import { type VirtualModel, VirtualModels } from '../../../contract/gateway/virtual-models.ts'
import { CaptureMode } from '../../../contract/models/models.ts'
import { Price } from '../../../contract/models/prices.ts'
import type { Settings, UpdateSettingsBody } from '../../../contract/system/settings.ts'
import { type StoredServiceToken, sourceOf } from '../../auth/tokens/service-token.ts'
import type { Config } from '../../config.ts'
import type { SettingsTable } from '../../db/schema/schema.ts'
import { invalid } from '../../lib/fail.ts'
import { defaultPrices } from '../../models/default-prices.ts'

/** The settings that other services use. `prices` remains the same array until it changes. */
export type SettingValues = {
  readonly workspaceCreationRole: Settings['workspace_creation_role']
  readonly runRetentionDays: number
  readonly capture: Settings['capture']
  readonly payloadRetentionDays: number
  readonly payloadMaxMb: number
  readonly prices: readonly Price[]
  readonly apiTokenMaxDays: number
  readonly apiTokensMayCreateAdmins: boolean
  readonly deviceDays: number
  readonly lanPasswordSignIn: boolean
  readonly requireSecondFactor: boolean
  readonly budget: Budget | null
  readonly virtualModels: readonly VirtualModel[]
}

/** The settings that a PATCH may change, by their name on the wire and in the store. */
export const settingNames = [
  'workspace_creation_role',
  'run_retention_days',
  'capture',
  'payload_retention_days',
  'payload_max_mb',
  'prices',
  'api_token_max_days',
  'api_tokens_may_create_admins',
  'device_days',
  'lan_password_sign_in',
  'require_second_factor',
  'budget',
  'virtual_models',
] as const
export type SettingName = (typeof settingNames)[number]
export const serviceTokenKey = 'service_token'

const StoredToken = z.object({ hash: z.string().regex(/^[0-9a-f]{64}$/), hint: z.string() })
const Stored = {
  workspace_creation_role: z.enum(['viewer', 'editor']),
  run_retention_days: z.int().min(1).max(3650),
  capture: CaptureMode,
  payload_retention_days: z.int().min(1).max(90),
  payload_max_mb: z.int().min(16).max(1_048_576),
  prices: z.array(Price),
  api_token_max_days: z.int().min(1).max(3650),
  api_tokens_may_create_admins: z.boolean(),
  device_days: z.int().min(1).max(3650),
  lan_password_sign_in: z.boolean(),
  require_second_factor: z.boolean(),
  budget: Budget.nullable(),
  virtual_models: VirtualModels,
}

export type SettingsState = {
  readonly values: SettingValues
  readonly serviceToken: StoredServiceToken | null
  readonly rows: ReadonlyMap<string, SettingsTable>
}

/**
 * Returns the stored settings, with defaults for the others. Throws for a value that this version cannot
 * read: a default would overwrite it.
 */
export function stateOf(rows: readonly SettingsTable[], fixedRetentionDays: number | null): SettingsState {
  const byKey = new Map(rows.map((row) => [row.key, row]))
  const read = <T>(key: string, schema: z.ZodType<T>): T | undefined => {
    const row = byKey.get(key)
    if (row === undefined) return undefined
    const parsed = schema.safeParse(JSON.parse(row.value))
    if (parsed.success) return parsed.data
    throw new Error(`The stored setting ${key} cannot be read: ${parsed.error.issues[0]?.message}`)
  }
  return {
    values: {
      workspaceCreationRole: read('workspace_creation_role', Stored.workspace_creation_role) ?? 'editor',
      runRetentionDays: fixedRetentionDays ?? read('run_retention_days', Stored.run_retention_days) ?? 90,
      capture: read('capture', Stored.capture) ?? 'off',
      payloadRetentionDays: read('payload_retention_days', Stored.payload_retention_days) ?? 7,
      payloadMaxMb: read('payload_max_mb', Stored.payload_max_mb) ?? 1024,
      prices: read('prices', Stored.prices) ?? defaultPrices,
      apiTokenMaxDays: read('api_token_max_days', Stored.api_token_max_days) ?? 365,
      apiTokensMayCreateAdmins:
        read('api_tokens_may_create_admins', Stored.api_tokens_may_create_admins) ?? false,
      deviceDays: read('device_days', Stored.device_days) ?? 90,
      lanPasswordSignIn: read('lan_password_sign_in', Stored.lan_password_sign_in) ?? false,
      requireSecondFactor: read('require_second_factor', Stored.require_second_factor) ?? false,
      budget: read('budget', Stored.budget) ?? null,
      virtualModels: read('virtual_models', Stored.virtual_models) ?? [],
    },
    serviceToken: read(serviceTokenKey, StoredToken) ?? null,
    rows: byKey,
  }
}

type Editable = Required<{ [K in SettingName]: Exclude<z.output<typeof UpdateSettingsBody>[K], undefined> }>

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
