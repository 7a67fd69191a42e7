import type { z } from 'zod'
import { type ProviderName, providerNames } from '../../../contract/models.ts'
import type {
  Provider,
  ProviderPrice,
  ProviderTest,
  UpdateProviderBody,
} from '../../../contract/providers.ts'
import type { Price } from '../../../contract/settings.ts'
import type { Db, Tx } from '../../db/types.ts'
import type { History } from '../../history/history.ts'
import type { Context } from '../../lib/context.ts'
import { providers } from '../../models/providers.ts'
import type { ProviderSettings } from '../../models/settings.ts'
import type { Vault } from '../../secrets/vault.ts'
import { type ChangeDeps, emptyRow, planChange } from './changes.ts'
import { isSameRow, summaryOf } from './differences.ts'
import { allProviders, deleteProvider, type ProviderRow, putProvider } from './providers.store.ts'
import { type ProviderState, stateOf, toChoice, toSettings, toWire } from './state.ts'

export type ProvidersDeps = {
  readonly db: Db
  readonly history: History
  readonly vault: Vault
  readonly refusalOf: ChangeDeps['refusalOf']
  /** Sends the provider a request that costs nothing. */
  readonly tryOut: (state: ProviderState) => Promise<ProviderTest>
  /** The price table, which belongs to the settings. */
  readonly prices: {
    readonly all: () => readonly Price[]
    readonly put: (
      tx: Tx,
      ctx: Context,
      provider: string,
      prices: readonly Price[] | null,
    ) => Promise<{ readonly before: readonly Price[]; readonly after: readonly Price[] } | null>
  }
}

const resource = 'provider'
/** Fields that are derived, or that record the change itself; not audited. */
const notAudited = ['configured', 'reason', 'prices', 'updated_at', 'updated_by', 'default_base_url'] as const

function audited(wire: Provider): Record<string, unknown> {
  const fields = Object.entries(wire).filter(([name]) => !(notAudited as readonly string[]).includes(name))
  return Object.fromEntries(fields)
}

const ofProvider = (prices: readonly Price[]): ProviderPrice[] =>
  prices.map(({ provider: _provider, ...price }) => price)

export type ProvidersService = Awaited<ReturnType<typeof createProvidersService>>

/** The model providers: their settings and keys. */
export async function createProvidersService({
  db,
  history,
  vault,
  refusalOf,
  tryOut,
  prices,
}: ProvidersDeps) {
  /** The stored rows as on disk; their keys are encrypted. */
  let rows: ReadonlyMap<string, ProviderRow> = new Map(
    (await allProviders(db.read)).map((row) => [row.name, row]),
  )
  const rowOf = (name: ProviderName): ProviderRow | null => rows.get(name) ?? null
  const state = (name: ProviderName): ProviderState => stateOf(name, rowOf(name), vault)
  const describe = (name: ProviderName, row = rowOf(name)): Provider =>
    toWire(
      stateOf(name, row, vault),
      row,
      ofProvider(prices.all().filter(({ provider }) => provider === name)),
    )
  const adopt = (name: ProviderName, row: ProviderRow | null) => {
    const next = new Map(rows)
    if (row === null) next.delete(name)
    else next.set(name, row)
    rows = next
  }

  let last: Promise<unknown> = Promise.resolve()
  /** Runs one change at a time, because each is planned on the result of the previous one. */
  const inTurn = <T>(work: () => Promise<T>): Promise<T> => {
    const result = last.then(work, work)
    last = result.catch(() => undefined)
    return result
  }

  return {
    async list(_ctx: Context) {
      const data = providerNames.map((name) => describe(name))
      return { data, total: data.length, next_cursor: null }
    },

    async get(_ctx: Context, name: ProviderName): Promise<Provider> {
      return describe(name)
    },

    async choices(_ctx: Context) {
      return providerNames.map((name) => toChoice(state(name)))
    },

    /** Called for each model call. */
    settingsOf: (name: ProviderName): ProviderSettings => toSettings(state(name)),

    update: (ctx: Context, name: ProviderName, body: z.output<typeof UpdateProviderBody>) =>
      inTurn(async () => {
        const stored = rowOf(name)
        const before = { row: stored ?? emptyRow(name), state: state(name) }
        const { row, isKeyDropped } = await planChange({ vault, refusalOf }, name, before, body, ctx.now)
        const isRowChanged = !isSameRow(before.row, row)
        const updated = { ...row, updated_at: ctx.now.getTime(), updated_by: ctx.actor.name }
        await db.write(async (tx) => {
          const wanted = body.prices?.map((price): Price => ({ provider: name, ...price })) ?? null
          const priced = body.prices === undefined ? null : await prices.put(tx, ctx, name, wanted)
          if (!isRowChanged && priced === null) return
          await putProvider(tx.q, updated)
          const [was, is] = [describe(name, stored), describe(name, updated)]
          await history.record(tx, ctx, {
            action: 'update',
            resource,
            resourceId: name,
            key: name,
            summary: summaryOf(was, is, { isPriced: priced !== null, isKeyDropped }),
            before: { ...audited(was), ...(priced && { prices: ofProvider(priced.before) }) },
            after: { ...audited(is), ...(priced && { prices: ofProvider(priced.after) }) },
            ...(priced && { alsoChanged: 'setting' }),
          })
          tx.afterCommit(() => adopt(name, updated))
        })
        const message = isKeyDropped
          ? 'The address is another host, so the key was dropped: it belongs to the host it was made for. Set the key of the new one.'
          : null
        return { data: describe(name), key_dropped: isKeyDropped, message }
      }),

    /**
     * Restores a provider's built-in settings. Its prices are kept, because they also apply to reported runs.
     */
    remove: (ctx: Context, name: ProviderName): Promise<{ ok: true }> =>
      inTurn(async () => {
        const stored = rowOf(name)
        if (stored === null) return { ok: true }
        await db.write(
          async (tx) => {
            await deleteProvider(tx.q, name)
            await history.record(tx, ctx, {
              action: 'delete',
              resource,
              resourceId: name,
              key: name,
              summary: `Put the provider ${providers[name].label} back to what is built in${stored.key_sealed === null ? '' : ' and forgot its key'}`,
              before: audited(describe(name, stored)),
              after: audited(describe(name, null)),
            })
            tx.afterCommit(() => adopt(name, null))
          },
          { evenWhenFull: true },
        )
        return { ok: true }
      }),

    test: (_ctx: Context, name: ProviderName): Promise<ProviderTest> => tryOut(state(name)),
  }
}
