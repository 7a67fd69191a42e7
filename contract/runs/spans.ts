import { z } from 'zod'
import { endpoint } from '../common/endpoint.ts'
import { Id, Timestamp } from '../common/fields.ts'
import { RunStatus, TraceId } from './run.ts'

/** The kinds of spans that are not model calls. `step`: a part of a workflow or chain. */
export const spanKinds = ['agent', 'workflow', 'step', 'tool'] as const
export type SpanKind = (typeof spanKinds)[number]

/** Maximum number of spans in one reply. */
export const maxTraceSpans = 500
export const maxSpanName = 128
export const maxSpanError = 512

/** An agent, workflow, step or tool in a trace, as telemetry reported it. Model calls are runs. */
export const TraceSpan = z.object({
  trace_id: z.string(),
  span_id: z.string(),
  parent_span_id: z.string().nullable().meta({ description: 'Null for a root' }),
  workspace_id: Id,
  kind: z.enum(spanKinds),
  name: z.string().meta({ description: 'Name of the agent, tool or workflow' }),
  app: z.string().nullable(),
  status: RunStatus,
  error: z.string().nullable(),
  latency_ms: z.number(),
  created_at: Timestamp.meta({ description: 'Start of the span' }),
})
export type TraceSpan = z.infer<typeof TraceSpan>

/** A span to store. */
export type SpanReport = Omit<TraceSpan, 'workspace_id'>

export const spans = {
  list: endpoint({
    tag: 'Runs',
    method: 'GET',
    path: '/api/spans',
    workspaces: 'filter',
    summary: 'List the agents and tools of a trace, the oldest first',
    description: `At most ${maxTraceSpans}. The model calls of the trace are runs: \`GET /api/runs?trace_id=\`.`,
    permission: 'runs.read',
    query: z.strictObject({ trace_id: TraceId, workspace: z.string().min(1).max(64).optional() }),
    reply: z.object({ data: z.array(TraceSpan) }),
    example: {
      query: 'trace_id=4bf92f3577b34da6a3ce929d0e0e4736',
      reply: {
        data: [
          {
            trace_id: '4bf92f3577b34da6a3ce929d0e0e4736',
            span_id: '00f067aa0ba902b7',
            parent_span_id: null,
            workspace_id: 'default',
            kind: 'agent',
            name: 'planner',
            app: 'checkout',
            status: 'ok',
            error: null,
            latency_ms: 2140,
            created_at: '2026-11-21T09:30:00.000Z',
          },
        ],
      },
    },
  }),
}
