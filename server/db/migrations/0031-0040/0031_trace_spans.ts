import type { Migration } from '../migration.ts'

/** The agents, workflows, steps and tools that telemetry reported. Model calls are runs. */
export const traceSpans: Migration = {
  version: 31,
  name: 'trace_spans',
  statements: [
    `CREATE TABLE trace_spans (
      workspace_id TEXT NOT NULL,
      trace_id TEXT NOT NULL,
      span_id TEXT NOT NULL,
      parent_span_id TEXT,
      kind TEXT NOT NULL,
      name TEXT NOT NULL,
      app TEXT,
      status TEXT NOT NULL,
      error TEXT,
      latency_ms REAL NOT NULL,
      created_at INTEGER NOT NULL,
      PRIMARY KEY (trace_id, workspace_id, span_id)
    ) STRICT, WITHOUT ROWID`,
    `CREATE INDEX trace_spans_created_at ON trace_spans (created_at)`,
  ],
}
