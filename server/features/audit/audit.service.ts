import type { z } from 'zod'
import type { ChainState, ExportAuditQuery, ListAuditQuery } from '../../../contract/system/audit.ts'
import type { Db, Tx } from '../../db/types.ts'
import { newestEntry } from '../../history/chain/audit.store.ts'
import type { History } from '../../history/history.ts'
import type { ChainVerifier } from '../../history/verify/chain-verifier.ts'
import type { Share } from '../../lib/async/shared-results.ts'
import type { Context } from '../../lib/context.ts'
import type { Download } from '../../lib/download.ts'
import { fail } from '../../lib/fail.ts'
import { keyOfScope } from '../../lib/scope.ts'
import { contentTypes, exportChunks } from './audit.export.ts'
import { findEntry, listEntries, streamEntries } from './audit.read.ts'

export type AuditServiceDeps = {
  readonly db: Db
  readonly history: History
  readonly chain: Pick<ChainVerifier, 'state' | 'verify'>
  readonly share: Share
}

type Page = Awaited<ReturnType<typeof listEntries>> & { readonly chain: ChainState }

export function createAuditService({ db, history, chain, share }: AuditServiceDeps) {
  const pages = share<Page>()
  return {
    list(ctx: Context, query: z.output<typeof ListAuditQuery>): Promise<Page> {
      const state = chain.state()
      const { kind, id } = ctx.actor
      const key = `${keyOfScope(ctx.scope)} ${JSON.stringify([kind, id, state, query])}`
      return pages.get(key, pages.version(), async () => ({
        ...(await listEntries(db.read, ctx, query)),
        chain: state,
      }))
    },

    async get(ctx: Context, id: number) {
      const entry = await findEntry(db.read, ctx, id)
      if (entry === null) throw fail('not_found', { detail: `Audit entry ${id} not found.` })
      return entry
    },

    verify: (_ctx: Context) => chain.verify(),

    /** Exports all entries up to now. The export's own entry is the next one, so it is not included. */
    async export(ctx: Context, { format, ...filters }: z.output<typeof ExportAuditQuery>): Promise<Download> {
      const usedFilters = Object.fromEntries(
        Object.entries(filters).filter(([, value]) => value !== undefined),
      )
      const recordExport = async (tx: Tx) => {
        const newest = await newestEntry(tx.q)
        await history.record(tx, ctx, {
          action: 'export',
          resource: 'audit',
          resourceId: null,
          key: null,
          summary: `Exported the audit log as ${format === 'csv' ? 'CSV' : 'JSON Lines'}`,
          after: { format, filters: usedFilters, up_to: newest?.id ?? 0 },
        })
        return newest?.id ?? 0
      }
      const day = ctx.now.toISOString().slice(0, 10)
      return {
        filename: `audit-${day}.${format}`,
        contentType: contentTypes[format],
        async open() {
          // A full store can still be exported.
          const last = await db.write(recordExport, { evenWhenFull: true })
          return exportChunks(format, streamEntries(db.read, ctx, filters, last))
        },
      }
    },
  }
}

export type AuditService = ReturnType<typeof createAuditService>
