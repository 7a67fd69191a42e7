import { maxLatencyMs } from '../../../contract/runs/run.ts'
import { maxSpanError, maxSpanName, type SpanReport } from '../../../contract/runs/spans.ts'
import type { Span } from '../protocol/records.ts'
import { durationOf } from '../protocol/values.ts'
import { describeSpan } from './conventions/conventions.ts'
import { resourceFields, shortText } from './report.ts'

/** A span of an agent, workflow, step or tool. `workspace`: the id or slug that it names; null for none. */
export type ReportedSpan = { readonly workspace: string | null; readonly report: SpanReport }

/** Converts a span that is not a model call. Returns null if traces do not show it, or if it has no ids or times. */
export function reportedSpanOf(span: Span): ReportedSpan | null {
  const description = describeSpan(span.attributes)
  const { traceId, spanId, startMs, endMs } = span
  if (description === null || traceId === null || spanId === null || startMs === null || endMs === null)
    return null
  if (endMs - startMs > maxLatencyMs) return null
  const { app, workspace_id: workspace } = resourceFields(span.resource, span.attributes)
  return {
    workspace: shortText(workspace, 64),
    report: {
      trace_id: traceId,
      span_id: spanId,
      parent_span_id: span.parentSpanId,
      kind: description.kind,
      name: shortText(description.name, maxSpanName) ?? shortText(span.name, maxSpanName) ?? description.kind,
      app: shortText(app, 128),
      status: span.hasFailed ? 'error' : 'ok',
      error: span.hasFailed ? shortText(span.statusMessage, maxSpanError) : null,
      latency_ms: durationOf(startMs, endMs),
      created_at: new Date(startMs).toISOString(),
    },
  }
}
