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

/** Number of spans in one transaction. */
const batchSize = 500

/**
 * Stores the spans of agents, workflows, steps and tools. Returns the rejected ones. Throws errors that may not occur in a
 * later attempt, such as a full disk.
 */
export async function storeSpans(
  ctx: Context,
  report: ReportSpans,
  reportedSpans: readonly ReportedSpan[],
  defaultWorkspace: string | null,
): Promise<Rejection[]> {
  const rejections: Rejection[] = []
  const byWorkspace = new Map<string | null, SpanReport[]>()
  for (const span of reportedSpans) {
    const workspace = span.workspace ?? defaultWorkspace
    const group = byWorkspace.get(workspace)
    if (group === undefined) byWorkspace.set(workspace, [span.report])
    else group.push(span.report)
  }
  for (const [workspace, spans] of byWorkspace) {
    try {
      for (let from = 0; from < spans.length; from += batchSize)
        await report(ctx, workspace, spans.slice(from, from + batchSize))
    } catch (error) {
      // Only the workspace can be the reason, so all its spans are rejected.
      const isRejected =
        error instanceof Problem && (error.code === 'request.invalid' || error.code === 'auth.forbidden')
      if (!isRejected) throw error
      const { message } = error
      rejections.push(...spans.map(() => ({ reason: message })))
    }
  }
  return rejections
}
