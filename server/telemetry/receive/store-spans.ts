import type { SpanReport } from '../../../contract/runs/spans.ts'
import type { Context } from '../../lib/context.ts'
import { Problem } from '../../lib/fail.ts'
import type { ReportedSpan } from '../convert/reported-span.ts'
import type { Rejection } from './store-runs.ts'

/** Stores spans of one workspace (id or slug; null for the default one), each once. */
export type ReportSpans = (
  ctx: Context,
  workspace: string | null,
  spans: readonly SpanReport[],
) => Promise<void>

export type StoreSpans = {
  readonly report: ReportSpans
  /** The workspace of spans that name none; null: the default one. */
  readonly defaultWorkspace: string | null
  /** Returns the reason why a span of this time is not stored; null if it is. */
  readonly refusalOfTime: (ms: number) => string | null
}

/** Number of spans in one transaction. */
const batchSize = 500

/**
 * Stores the spans of agents, workflows, steps and tools. Returns the rejected ones. Throws errors that may not occur in a
 * later attempt, such as a full disk.
 */
export async function storeSpans(
  ctx: Context,
  reportedSpans: readonly ReportedSpan[],
  { report, defaultWorkspace, refusalOfTime }: StoreSpans,
): Promise<Rejection[]> {
  const reasons = reportedSpans.map((span) => refusalOfTime(Date.parse(span.report.created_at)))
  const rejections = reasons.flatMap((reason): Rejection[] =>
    reason === null ? [] : [{ reason: `created_at: ${reason}` }],
  )
  const accepted = reportedSpans.filter((_, index) => reasons[index] === null)
  const byWorkspace = groupByWorkspace(accepted, defaultWorkspace)
  for (const [workspace, spans] of byWorkspace) {
    let stored = 0
    try {
      for (; stored < spans.length; stored += batchSize)
        await report(ctx, workspace, spans.slice(stored, stored + batchSize))
    } catch (error) {
      // Only the workspace can be the reason, so all its other spans are rejected.
      const isRejected =
        error instanceof Problem && (error.code === 'request.invalid' || error.code === 'auth.forbidden')
      if (!isRejected) throw error
      const { message } = error
      rejections.push(...spans.slice(stored).map(() => ({ reason: message })))
    }
  }
  return rejections
}

function groupByWorkspace(
  spans: readonly ReportedSpan[],
  defaultWorkspace: string | null,
): Map<string | null, SpanReport[]> {
  const groups = new Map<string | null, SpanReport[]>()
  for (const span of spans) {
    const workspace = span.workspace ?? defaultWorkspace
    const group = groups.get(workspace)
    if (group === undefined) groups.set(workspace, [span.report])
    else group.push(span.report)
  }
  return groups
}
