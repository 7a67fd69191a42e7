import type { z } from 'zod'
import type { Price } from '../../../contract/models/prices.ts'
import type { CreateProviderBody, UpdateProviderBody } from '../../../contract/models/providers.ts'
import type { Tx } from '../../db/types.ts'
import type { Context } from '../../lib/context.ts'
import { fail, invalid } from '../../lib/fail.ts'
import { freeSlug, slugOf } from '../../lib/text/slugs.ts'
import { addedProvider, builtInProvider } from '../../models/providers.ts'
import { createdSummary, isSameRow, summaryOf } from './audit-summary.ts'
import { emptyRow, type Planned, planChange } from './changes.ts'
import { type ProviderRow, putProvider } from './providers.store.ts'
import {
  audited,
  describe,
  type PriceChange,
  type Providers,
  requireState,
  resource,
  rowOf,
  setRow,
  withoutProvider,
} from './providers.ts'
import { stateOf } from './state.ts'
import { requireCurrent } from './stored-rows.ts'

type UpdateBody = z.output<typeof UpdateProviderBody>
type CreateBody = z.output<typeof CreateProviderBody>

const untestedMessage = 'The key was saved without a test.'
const droppedMessage =
  'The host of the address changed, so the key was deleted. Set the key for the new host.'

/**
 * Tests the new key of a change, if the request contains `test_key`. Throws 422 if the test fails; nothing is stored
 * then. Returns the latency, or null without a test.
 */
async function testNewKey(
  { testConnection }: Providers,
  { state, hasNewKey }: Planned,
  isRequested: boolean,
): Promise<number | null> {
  if (!hasNewKey || !isRequested) return null
  const { ok: isOk, message, latency_ms: latencyMs } = await testConnection(state)
  if (!isOk) throw invalid('api_key', `The new key was not saved, because its test failed: ${message}`)
  return latencyMs
}

/** Returns the part of the reply about the key. */
function keyReply({ hasNewKey, isKeyDropped }: Planned, testedMs: number | null) {
  const isTested = hasNewKey ? testedMs !== null : null
  const message = isKeyDropped ? droppedMessage : isTested === false ? untestedMessage : null
  return { key_tested: isTested, message }
}

/** Stores the successful test of a key as the first check of the new settings. */
function storeCheck({ health }: Providers, name: string, latencyMs: number | null): void {
  if (latencyMs !== null) health.begin(name)({ by: 'check', latencyMs, error: null })
}

/** Changes settings. A new host drops the key, because it belongs to the host for which it was made. */
export async function updateProvider(providers: Providers, ctx: Context, name: string, body: UpdateBody) {
  const stored = rowOf(providers, name)
  const before = { row: stored ?? emptyRow(name), state: requireState(providers, name) }
  const planned = await planChange(providers, before, body, ctx.now)
  const testedMs = await testNewKey(providers, planned, body.test_key)
  const updated = { ...planned.row, updated_at: ctx.now.getTime(), updated_by: ctx.actor.name }
  const isRowChanged = !isSameRow(before.row, planned.row)
  await providers.db.write(async (tx) => {
    await requireCurrent(providers, tx, name)
    const priceChange = await putPrices(providers, tx, ctx, name, body.prices)
    if (!isRowChanged && priceChange === null) return
    await putProvider(tx.q, updated)
    await recordUpdate(providers, tx, ctx, { name, stored, updated, priceChange, ...planned })
    tx.afterCommit(() => {
      setRow(providers, name, updated)
      storeCheck(providers, name, testedMs)
    })
  })
  return {
    data: describe(providers, name),
    key_dropped: planned.isKeyDropped,
    ...keyReply(planned, testedMs),
  }
}

/** Adds a provider with a name of its own. */
export async function createProvider(providers: Providers, ctx: Context, body: CreateBody) {
  const { name: requestedName, ...settings } = body
  const isTaken = (name: string) => builtInProvider(name) !== null || providers.rows.has(name)
  if (requestedName !== undefined && isTaken(requestedName))
    throw fail('provider.name_taken', { detail: `There is already a provider ${requestedName}.` })
  const name =
    requestedName ?? (await freeSlug(slugOf(body.label, 'provider'), async (slug) => isTaken(slug)))
  const row = emptyRow(name, body.label)
  const state = stateOf(name, addedProvider(body.label), row, providers.vault)
  const planned = await planChange(providers, { row, state }, settings, ctx.now)
  const testedMs = await testNewKey(providers, planned, body.test_key)
  const created = { ...planned.row, updated_at: ctx.now.getTime(), updated_by: ctx.actor.name }
  await providers.db.write(async (tx) => {
    await requireCurrent(providers, tx, name)
    const priceChange = await putPrices(providers, tx, ctx, name, body.prices)
    await putProvider(tx.q, created)
    await providers.history.record(tx, ctx, {
      action: 'create',
      resource,
      resourceId: name,
      key: name,
      summary: createdSummary(body.label, name),
      after: { ...audited(describe(providers, name, created)), ...afterPrices(priceChange) },
      ...(priceChange && { alsoChanged: 'setting' }),
    })
    tx.afterCommit(() => {
      setRow(providers, name, created)
      storeCheck(providers, name, testedMs)
    })
  })
  return { data: describe(providers, name), ...keyReply(planned, testedMs) }
}

const afterPrices = (change: PriceChange | null) => change && { prices: withoutProvider(change.after) }

/** Stores the prices of a request. Returns null if it has none, or if nothing differs. */
async function putPrices(
  { prices }: Providers,
  tx: Tx,
  ctx: Context,
  name: string,
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
    readonly name: string
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
    after: { ...audited(after), ...afterPrices(priceChange) },
    ...(priceChange && { alsoChanged: 'setting' }),
  })
}
