import type { Context } from '../../lib/context.ts'
import { removedSummary } from './audit-summary.ts'
import { deleteProvider } from './providers.store.ts'
import { audited, describe, type Providers, requireState, resource, rowOf, setRow } from './providers.ts'
import { requireCurrent } from './stored-rows.ts'

/**
 * Deletes a provider that an admin added, or restores the settings of a built-in one. Its prices are kept,
 * because they also apply to its runs in the log and to reported runs.
 */
export async function removeProvider(
  providers: Providers,
  ctx: Context,
  name: string,
): Promise<{ ok: true }> {
  const { isBuiltIn, facts } = requireState(providers, name)
  const stored = rowOf(providers, name)
  if (stored === null) return { ok: true }
  await providers.db.write(
    async (tx) => {
      await requireCurrent(providers, tx, name)
      await deleteProvider(tx.q, name)
      await providers.history.record(tx, ctx, {
        action: 'delete',
        resource,
        resourceId: name,
        key: name,
        summary: removedSummary(facts.label, { isBuiltIn, hadKey: stored.key_sealed !== null }),
        before: audited(describe(providers, name, stored)),
        ...(isBuiltIn && { after: audited(describe(providers, name, null)) }),
      })
      tx.afterCommit(() => setRow(providers, name, null))
    },
    { evenWhenFull: true },
  )
  return { ok: true }
}
