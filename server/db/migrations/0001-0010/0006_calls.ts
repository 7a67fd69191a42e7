import type { Migration } from '../migration.ts'

/** Model calls of the service: calls in progress, error types, kinds of tokens, capture per workspace. */
export const calls: Migration = {
  version: 6,
  name: 'calls',
  statements: [
    // A call from before its first byte is sent until its run is in the log. Rows found at start were
    // interrupted. They are not in the run log, so that nothing counts twice. They have no input and no
    // values of variables.
    `CREATE TABLE call_intents (
      id TEXT PRIMARY KEY,
      created_at INTEGER NOT NULL,
      actor TEXT NOT NULL,
      request_id TEXT NOT NULL,
      run TEXT NOT NULL
    ) STRICT, WITHOUT ROWID`,
    `ALTER TABLE runs ADD COLUMN cached_tokens INTEGER`,
    `ALTER TABLE runs ADD COLUMN reasoning_tokens INTEGER`,
    // Id of a row of `names`, like `error`.
    `ALTER TABLE runs ADD COLUMN error_type INTEGER`,
    `CREATE INDEX runs_error_type ON runs (error_type, created_at) WHERE error_type IS NOT NULL`,
    // Null: the global setting applies.
    `ALTER TABLE workspaces ADD COLUMN capture TEXT CHECK (capture IN ('off', 'redacted', 'full'))`,
    `DROP VIEW run_log`,
    `CREATE VIEW run_log AS
      SELECT r.id, r.created_at, s.name AS source, p.name AS provider, m.name AS model, w.name AS workspace_id,
        k.name AS ref_key, v.name AS version, u.name AS user, c.name AS client_id,
        CASE r.status WHEN 0 THEN 'ok' ELSE 'error' END AS status, e.name AS error, t.name AS error_type, r.parent_id,
        r.prompt_tokens, r.output_tokens, r.total_tokens, r.cached_tokens, r.reasoning_tokens, r.tokens_estimated,
        r.latency_us / 1000.0 AS latency_ms, r.ttft_us / 1000.0 AS ttft_ms, r.cost_nano / 1000000000.0 AS cost_usd,
        r.reported, r.finish_reason, r.client_run_id, r.request_id, r.params
      FROM runs r
      JOIN names s ON s.id = r.source
      JOIN names p ON p.id = r.provider
      JOIN names m ON m.id = r.model
      JOIN names w ON w.id = r.workspace
      JOIN names u ON u.id = r.user
      LEFT JOIN names k ON k.id = r.ref_key
      LEFT JOIN names v ON v.id = r.version
      LEFT JOIN names c ON c.id = r.client
      LEFT JOIN names e ON e.id = r.error
      LEFT JOIN names t ON t.id = r.error_type`,
  ],
}
