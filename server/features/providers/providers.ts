import type { Price } from '../../../contract/models/prices.ts'
import type { Provider, ProviderPrice } from '../../../contract/models/providers.ts'
import type { Db, Tx } from '../../db/types.ts'
import type { History } from '../../history/history.ts'
import type { SerialQueue } from '../../lib/async/serial-queue.ts'
import type { Context } from '../../lib/context.ts'
import { fail } from '../../lib/fail.ts'
import type { Vault } from '../../secrets/vault.ts'
import type { ChangeDeps } from './changes.ts'
import type { TestConnection } from './checks/connection-test.ts'
import type { HealthLog } from './checks/health.ts'
import type { ProviderRow } from './providers.store.ts'
import { factsOf, type ProviderState, stateOf, toWire } from './state.ts'

export type PriceChange = { readonly before: readonly Price[]; readonly after: readonly Price[] }

export type ProvidersDeps = {
  readonly db: Db
  readonly history: History
  readonly vault: Vault
  readonly refusalOf: ChangeDeps['refusalOf']
  /** Sends the provider a request that costs nothing. */
  readonly testConnection: TestConnection
  readonly health: HealthLog
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

/** The state that the operations on providers share. */
export type Providers = ProvidersDeps & {
  /** The stored rows by name, as on disk; their keys are encrypted. Replaced as a whole after a commit. */
  rows: ReadonlyMap<string, ProviderRow>
  /** Runs one change at a time, because each is planned on the result of the previous one. */
  readonly changes: SerialQueue
}

export const resource = 'provider'

/** Fields that are derived, or that record the change itself; not audited. */
const notAudited: ReadonlySet<string> = new Set<keyof Provider>([
  'configured',
  'reason',
  'prices',
  'updated_at',
  'updated_by',
  'default_base_url',
  'built_in',
  'status',
  'checked_at',
  'checked_by',
  'latency_ms',
  'failing_since',
  'error',
])

export const audited = (wire: Provider): Record<string, unknown> =>
  Object.fromEntries(Object.entries(wire).filter(([name]) => !notAudited.has(name)))

export const withoutProvider = (prices: readonly Price[]): ProviderPrice[] =>
  prices.map(({ provider: _provider, ...price }) => price)

export const rowOf = ({ rows }: Providers, name: string): ProviderRow | null => rows.get(name) ?? null

/** Returns the state of a provider; null if there is none of this name. */
export function findState(
  providers: Providers,
  name: string,
  row = rowOf(providers, name),
): ProviderState | null {
  const facts = factsOf(name, row)
  return facts === null ? null : stateOf(name, facts, row, providers.vault)
}

/** Returns the state of a provider. Throws 404 if there is none of this name. */
export function requireState(
  providers: Providers,
  name: string,
  row = rowOf(providers, name),
): ProviderState {
  const state = findState(providers, name, row)
  if (state === null) throw fail('not_found', { detail: 'Provider not found.' })
  return state
}

export function describe(providers: Providers, name: string, row = rowOf(providers, name)): Provider {
  const { prices, health } = providers
  const providerPrices = prices.all().filter(({ provider }) => provider === name)
  return toWire(requireState(providers, name, row), row, withoutProvider(providerPrices), health.of(name))
}

/** Replaces the row in memory, and removes the last check of the earlier settings. Call it after the commit. */
export function setRow(providers: Providers, name: string, row: ProviderRow | null): void {
  const next = new Map(providers.rows)
  if (row === null) next.delete(name)
  else next.set(name, row)
  providers.rows = next
  providers.health.clear(name)
}
