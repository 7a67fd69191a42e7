import type { SpanReport } from '../../../contract/runs/spans.ts'
import type { Context } from '../../lib/context.ts'
import { Problem } from '../../lib/fail.ts'
import type { Part } from '../convert/span-part.ts'
import type { Rejection } from './store-runs.ts'

/** Stores spans of one workspace (id or slug; null for the default one), each once. */
export type ReportSpans = (
  ctx: Context,
  workspace: string | null,
  spans: readonly SpanReport[],
) => Promise<void>

/** Number of spans in one transaction. */
const batchSize = 500

/** Stores the agents and tools of traces. Returns the rejected ones; throws what a later attempt may not meet. */
export async function storeParts(
  ctx: Context,
  report: ReportSpans,
  parts: readonly Part[],
  defaultWorkspace: string | null,
): Promise<Rejection[]> {
  const rejections: Rejection[] = []
  const byWorkspace = new Map<string | null, SpanReport[]>()
  for (const part of parts) {
    const workspace = part.workspace ?? defaultWorkspace
    const group = byWorkspace.get(workspace)
    if (group === undefined) byWorkspace.set(workspace, [part.report])
    else group.push(part.report)
  }
  for (const [workspace, spans] of byWorkspace) {
    try {
      for (let from = 0; from < spans.length; from += batchSize)
        await report(ctx, workspace, spans.slice(from, from + batchSize))
    } catch (error) {
      const isRejected =
        error instanceof Problem && (error.code === 'request.invalid' || error.code === 'auth.forbidden')
      if (!isRejected) throw error
      const { message } = error
      rejections.push(...spans.map(() => ({ reason: message })))
    }
  }
  return rejections
}
