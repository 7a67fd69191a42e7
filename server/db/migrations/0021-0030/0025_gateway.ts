import type { Migration } from '../migration.ts'

/** Calls through the gateway: the tokens that may make them, and what their runs contain beyond those of apps. */
export const gateway: Migration = {
  version: 25,
  name: 'gateway',
  statements: [
    // Null: the token may not use the gateway, as no earlier token may.
    `ALTER TABLE api_tokens ADD COLUMN gateway TEXT CHECK (gateway IN ('provider_key', 'own_key'))`,
    `ALTER TABLE runs ADD COLUMN response_id TEXT`,
    `ALTER TABLE runs ADD COLUMN response_model INTEGER`,
    `ALTER TABLE runs ADD COLUMN tool_names INTEGER`,
    `ALTER TABLE runs ADD COLUMN trace_id TEXT`,
    `ALTER TABLE runs ADD COLUMN call_id TEXT`,
    `ALTER TABLE runs ADD COLUMN reply_mark INTEGER`,
    `CREATE INDEX runs_trace_id ON runs (trace_id, created_at) WHERE trace_id IS NOT NULL`,
    `CREATE INDEX runs_reply_mark ON runs (reply_mark, created_at) WHERE reply_mark IS NOT NULL`,
    `CREATE UNIQUE INDEX runs_call_id ON runs (call_id) WHERE call_id IS NOT NULL`,
  ],
}
