import type { InputOf } from '../../../contract/common/endpoint.ts'
import type { spans as endpoints, SpanReport, TraceSpan } from '../../../contract/runs/spans.ts'
import { defaultWorkspaceId } from '../../../contract/system/workspaces.ts'
import { workspaceRefusal } from '../../auth/tokens/token-limits.ts'
import type { Db } from '../../db/types.ts'
import type { Bus } from '../../history/events/bus.ts'
import type { Context } from '../../lib/context.ts'
import { dayMs } from '../../lib/durations.ts'
import { findVisibleWorkspace, requiredWorkspace } from '../../resources/required-workspace.ts'
import { findWorkspace } from '../../resources/workspaces.read.ts'
import type { DeletionClock } from '../../retention/deletion-clock.ts'
import { deleteSpansBefore, insertSpan, type SpanRow, spansOfTrace } from './spans.store.ts'

/** Stores and lists the spans of traces that are not model calls. */
export type TracesService = {
  /**
   * Stores spans, each once. `workspace`: id or slug; null for the default workspace. Resolves when they are on disk.
   */
  report(ctx: Context, workspace: string | null, spans: readonly SpanReport[]): Promise<void>
  list(ctx: Context, query: InputOf<typeof endpoints.list>['query']): Promise<TraceSpan[]>
  /** Deletes the spans that are older than runs are kept. */
  maintain(): Promise<void>
}

type Deps = {
  readonly db: Db
  readonly bus: Bus
  readonly deletion: Pick<DeletionClock, 'now'>
  readonly runRetentionDays: () => number
}

/** Number of spans that one transaction deletes. */
const deletedAtOnce = 500

export const createTracesService = (deps: Deps): TracesService => ({
  report: (ctx, workspace, spans) => report(deps, ctx, workspace ?? defaultWorkspaceId, spans),
  list: (ctx, query) => list(deps, ctx, query),
  maintain: () => removeExpired(deps),
})

async function report(
  { db, bus }: Deps,
  ctx: Context,
  workspace: string,
  spans: readonly SpanReport[],
): Promise<void> {
  await db.write(async (tx) => {
    // First, also for an unknown workspace, so that a limited token cannot find out which workspaces exist.
    const refusal = workspaceRefusal(ctx, (await findWorkspace(tx.q, workspace))?.id ?? '')
    if (refusal !== null) throw refusal
    const { id } = await requiredWorkspace(tx.q, ctx.scope, workspace)
    for (const span of spans)
      await insertSpan(tx.q, { ...span, workspace_id: id, created_at: Date.parse(span.created_at) })
    tx.afterCommit(() => bus.announce({ kind: 'runs', workspaceIds: [id] }))
  })
}

async function list(
  { db }: Deps,
  { scope }: Context,
  { trace_id: traceId, workspace }: InputOf<typeof endpoints.list>['query'],
): Promise<TraceSpan[]> {
  const found = workspace === undefined ? null : await findVisibleWorkspace(db.read, scope, workspace)
  if (found === undefined) return []
  const rows = await spansOfTrace(db.read, scope, { traceId, workspaceId: found?.id ?? null })
  return rows.map(toWire)
}

const toWire = (row: SpanRow): TraceSpan => ({ ...row, created_at: new Date(row.created_at).toISOString() })

async function removeExpired({ db, deletion, runRetentionDays }: Deps): Promise<void> {
  const now = deletion.now()
  if (now === null) return
  const before = now.getTime() - runRetentionDays() * dayMs
  let removed = deletedAtOnce
  while (removed === deletedAtOnce)
    removed = await db.write((tx) => deleteSpansBefore(tx.q, before, deletedAtOnce), { evenWhenFull: true })
}
