import type { Migration } from '../migration.ts'

/** The span of a call in its trace. A call that is reported in several ways is found by span or response id. */
export const spans: Migration = {
  version: 26,
  name: 'spans',
  statements: [
    `ALTER TABLE runs ADD COLUMN span_id TEXT`,
    `ALTER TABLE runs ADD COLUMN parent_span_id TEXT`,
    `CREATE INDEX runs_span_id ON runs (span_id, trace_id) WHERE span_id IS NOT NULL`,
    `CREATE INDEX runs_response_id ON runs (response_id, created_at) WHERE response_id IS NOT NULL`,
  ],
}
