import type { z } from 'zod'
import { type ProviderName, providerNames } from '../../../contract/models/models.ts'
import type { Price } from '../../../contract/models/prices.ts'
import type {
  Provider,
  ProviderPrice,
  ProviderTest,
  UpdateProviderBody,
} from '../../../contract/models/providers.ts'
import type { Db, Tx } from '../../db/types.ts'
import type { History } from '../../history/history.ts'
import type { Context } from '../../lib/context.ts'
import { providers as providerFacts } from '../../models/providers.ts'
import type { ProviderSettings } from '../../models/settings.ts'
import type { Vault } from '../../secrets/vault.ts'
import { isSameRow, summaryOf } from './audit-summary.ts'
import { type ChangeDeps, emptyRow, planChange } from './changes.ts'
import { allProviders, deleteProvider, type ProviderRow, putProvider } from './providers.store.ts'
import { type ProviderState, stateOf, toChoice, toSettings, toWire } from './state.ts'

type PriceChange = { readonly before: readonly Price[]; readonly after: readonly Price[] }
type UpdateBody = z.output<typeof UpdateProviderBody>

export type ProvidersDeps = {
  readonly db: Db
  readonly history: History
  readonly vault: Vault
  readonly refusalOf: ChangeDeps['refusalOf']
  /** Sends the provider a request that costs nothing. */
  readonly testConnection: (state: ProviderState) => Promise<ProviderTest>
  /** The price table, which belongs to the settings. */
  readonly prices: {
    readonly all: () => readonly Price[]
    readonly put: (
      tx: Tx,
      ctx: Context,
      provider: string,
      prices: readonly Price[] | null,
    ) => Promise<PriceChange | null>
  }
}

const resource = 'provider'
/** Fields that are derived, or that record the change itself; not audited. */
const notAudited = ['configured', 'reason', 'prices', 'updated_at', 'updated_by', 'default_base_url'] as const

function audited(wire: Provider): Record<string, unknown> {
  const fields = Object.entries(wire).filter(([name]) => !(notAudited as readonly string[]).includes(name))
  return Object.fromEntries(fields)
}

const withoutProvider = (prices: readonly Price[]): ProviderPrice[] =>
  prices.map(({ provider: _provider, ...price }) => price)

type Providers = ProvidersDeps & {
  /** The stored rows by name, as on disk; their keys are encrypted. Replaced as a whole after a commit. */
  rows: ReadonlyMap<string, ProviderRow>
  /** Runs one change at a time, because each is planned on the result of the previous one. */
  readonly runSerially: <T>(change: () => Promise<T>) => Promise<T>
}

export type ProvidersService = Awaited<ReturnType<typeof createProvidersService>>

/** The model providers: their settings and keys. */
export async function createProvidersService(deps: ProvidersDeps) {
  let last: Promise<unknown> = Promise.resolve()
  const providers: Providers = {
    ...deps,
    rows: new Map((await allProviders(deps.db.read)).map((row) => [row.name, row])),
    runSerially(change) {
      const result = last.then(change)
      last = result.catch(() => undefined)
      return result
    },
  }
  return {
    async list(_ctx: Context) {
      const data = providerNames.map((name) => describe(providers, name))
      return { data, total: data.length, next_cursor: null }
    },
    get: async (_ctx: Context, name: ProviderName): Promise<Provider> => describe(providers, name),
    choices: async (_ctx: Context) => providerNames.map((name) => toChoice(currentState(providers, name))),
    /** Called for each model call. */
    settingsOf: (name: ProviderName): ProviderSettings => toSettings(currentState(providers, name)),
    update: (ctx: Context, name: ProviderName, body: UpdateBody) =>
      providers.runSerially(() => update(providers, ctx, name, body)),
    remove: (ctx: Context, name: ProviderName): Promise<{ ok: true }> =>
      providers.runSerially(() => remove(providers, ctx, name)),
    test: (_ctx: Context, name: ProviderName): Promise<ProviderTest> =>
      deps.testConnection(currentState(providers, name)),
  }
}

const rowOf = ({ rows }: Providers, name: ProviderName): ProviderRow | null => rows.get(name) ?? null

const currentState = (providers: Providers, name: ProviderName): ProviderState =>
  stateOf(name, rowOf(providers, name), providers.vault)

function describe(providers: Providers, name: ProviderName, row = rowOf(providers, name)): Provider {
  const { vault, prices } = providers
  const providerPrices = prices.all().filter(({ provider }) => provider === name)
  return toWire(stateOf(name, row, vault), row, withoutProvider(providerPrices))
}

/** Replaces the row in memory. Call it after the commit. */
function setRow(providers: Providers, name: ProviderName, row: ProviderRow | null): void {
  const next = new Map(providers.rows)
  if (row === null) next.delete(name)
  else next.set(name, row)
  providers.rows = next
}

/** Changes settings. A new host drops the key, because it belongs to the host for which it was made. */
async function update(providers: Providers, ctx: Context, name: ProviderName, body: UpdateBody) {
  const stored = rowOf(providers, name)
  const before = { row: stored ?? emptyRow(name), state: currentState(providers, name) }
  const { row, isKeyDropped } = await planChange(providers, name, before, body, ctx.now)
  const updated = { ...row, updated_at: ctx.now.getTime(), updated_by: ctx.actor.name }
  const isRowChanged = !isSameRow(before.row, row)
  await providers.db.write(async (tx) => {
    const priceChange = await putPrices(providers, tx, ctx, name, body.prices)
    if (!isRowChanged && priceChange === null) return
    await putProvider(tx.q, updated)
    await recordUpdate(providers, tx, ctx, { name, stored, updated, priceChange, isKeyDropped })
    tx.afterCommit(() => setRow(providers, name, updated))
  })
  const message = isKeyDropped
    ? 'The host of the address changed, so the key was deleted. Set the key for the new host.'
    : null
  return { data: describe(providers, name), key_dropped: isKeyDropped, message }
}

/** Stores the prices of a request. Returns null if it has none, or if nothing differs. */
async function putPrices(
  { prices }: Providers,
  tx: Tx,
  ctx: Context,
  name: ProviderName,
  requested: UpdateBody['prices'],
): Promise<PriceChange | null> {
  if (requested === undefined) return null
  return prices.put(tx, ctx, name, requested?.map((price): Price => ({ provider: name, ...price })) ?? null)
}

async function recordUpdate(
  providers: Providers,
  tx: Tx,
  ctx: Context,
  change: {
    readonly name: ProviderName
    readonly stored: ProviderRow | null
    readonly updated: ProviderRow
    readonly priceChange: PriceChange | null
    readonly isKeyDropped: boolean
  },
): Promise<void> {
  const { name, stored, updated, priceChange, isKeyDropped } = change
  const before = describe(providers, name, stored)
  const after = describe(providers, name, updated)
  await providers.history.record(tx, ctx, {
    action: 'update',
    resource,
    resourceId: name,
    key: name,
    summary: summaryOf(before, after, { isPriced: priceChange !== null, isKeyDropped }),
    before: { ...audited(before), ...(priceChange && { prices: withoutProvider(priceChange.before) }) },
    after: { ...audited(after), ...(priceChange && { prices: withoutProvider(priceChange.after) }) },
    ...(priceChange && { alsoChanged: 'setting' }),
  })
}

/**
 * Restores a provider's built-in settings. Its prices are kept, because they also apply to reported runs.
 */
async function remove(providers: Providers, ctx: Context, name: ProviderName): Promise<{ ok: true }> {
  const stored = rowOf(providers, name)
  if (stored === null) return { ok: true }
  await providers.db.write(
    async (tx) => {
      await deleteProvider(tx.q, name)
      await providers.history.record(tx, ctx, {
        action: 'delete',
        resource,
        resourceId: name,
        key: name,
        summary: `Reset the provider ${providerFacts[name].label} to its defaults${stored.key_sealed === null ? '' : ' and deleted its key'}`,
        before: audited(describe(providers, name, stored)),
        after: audited(describe(providers, name, null)),
      })
      tx.afterCommit(() => setRow(providers, name, null))
    },
    { evenWhenFull: true },
  )
  return { ok: true }
}
