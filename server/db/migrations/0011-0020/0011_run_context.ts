import type { Migration } from '../migration.ts'

const indexedWhenSet = ['env', 'app', 'token', 'session_id', 'end_user', 'tags']

/** Environment, app, token, session, end user, tags and metadata of a run; sorting by figures. */
export const runContext: Migration = {
  version: 11,
  name: 'run_context',
  statements: [
    // Ids of `names`, except session_id and metadata, which are texts.
    ...['env', 'app', 'token', 'end_user', 'tags'].map(
      (column) => `ALTER TABLE runs ADD COLUMN ${column} INTEGER`,
    ),
    `ALTER TABLE runs ADD COLUMN session_id TEXT`,
    `ALTER TABLE runs ADD COLUMN metadata TEXT`,
    ...indexedWhenSet.map(
      (column) => `CREATE INDEX runs_${column} ON runs (${column}, created_at) WHERE ${column} IS NOT NULL`,
    ),
    // The figures by which the log is sorted and filtered are in the index of the time, so that a period is
    // searched without reading rows.
    `DROP INDEX runs_time`,
    `CREATE INDEX runs_time ON runs (created_at, id, latency_us, cost_nano, total_tokens, ttft_us)`,
    // A partial index without the text: metadata is compared row by row.
    `CREATE INDEX runs_with_metadata ON runs (created_at) WHERE metadata IS NOT NULL`,
    // The members of a stored list of names, such as tags, for the filter by one of them.
    `CREATE TABLE name_members (
      member TEXT NOT NULL,
      name_id INTEGER NOT NULL,
      PRIMARY KEY (member, name_id)
    ) STRICT, WITHOUT ROWID`,
    `CREATE INDEX name_members_name ON name_members (name_id)`,
    `DROP VIEW run_log`,
    `CREATE VIEW run_log AS
      SELECT r.id, r.created_at, s.name AS source, p.name AS provider, m.name AS model, w.name AS workspace_id,
        k.name AS ref_key, v.name AS version, x.name AS env, u.name AS user, a.name AS app, o.name AS token,
        c.name AS client_id, r.session_id, h.name AS end_user, g.name AS tags, r.metadata,
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
      LEFT JOIN names x ON x.id = r.env
      LEFT JOIN names a ON a.id = r.app
      LEFT JOIN names o ON o.id = r.token
      LEFT JOIN names h ON h.id = r.end_user
      LEFT JOIN names g ON g.id = r.tags
      LEFT JOIN names c ON c.id = r.client
      LEFT JOIN names e ON e.id = r.error
      LEFT JOIN names t ON t.id = r.error_type`,
  ],
}
