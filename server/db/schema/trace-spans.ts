import type { TraceSpan } from '../../../contract/runs/spans.ts'

/** Spans of agents, workflows, steps and tools. They have the columns of the API; `created_at` is epoch milliseconds. */
export type TraceSpansTable = Omit<TraceSpan, 'created_at'> & { created_at: number }
