import type { Migration } from '../migration.ts'

/**
 * Columns by which the run log is filtered. Each index ends with the time, so a page is one short index
 * range.
 */
const indexed = ['source', 'provider', 'model', 'workspace', 'user']
const indexedWhenSet = ['ref_key', 'version', 'client', 'error', 'parent_id']

/** The run log, its dictionary of names, and the roll-ups for statistics. */
export const runs: Migration = {
  version: 2,
  name: 'runs',
  statements: [
    // Each distinct name of runs, once. Rows and indexes have small integers instead (156 instead of 287 MB
    // for 1 M runs).
    `CREATE TABLE names (
      id INTEGER PRIMARY KEY,
      kind TEXT NOT NULL,
      name TEXT NOT NULL,
      UNIQUE (kind, name)
    ) STRICT`,
    // The distinct folded words of ref_keys, models and errors, for prefix search.
    `CREATE TABLE name_words (
      word TEXT NOT NULL,
      name_id INTEGER NOT NULL,
      PRIMARY KEY (word, name_id)
    ) STRICT, WITHOUT ROWID`,
    `CREATE INDEX name_words_name ON name_words (name_id, word)`,
    `CREATE TABLE runs (
      id INTEGER PRIMARY KEY,
      created_at INTEGER NOT NULL,
      source INTEGER NOT NULL,
      provider INTEGER NOT NULL,
      model INTEGER NOT NULL,
      workspace INTEGER NOT NULL,
      ref_key INTEGER,
      version INTEGER,
      user INTEGER NOT NULL,
      client INTEGER,
      status INTEGER NOT NULL CHECK (status IN (0, 1)),
      error INTEGER,
      parent_id TEXT,
      prompt_tokens INTEGER,
      output_tokens INTEGER,
      total_tokens INTEGER,
      tokens_estimated INTEGER NOT NULL CHECK (tokens_estimated IN (0, 1)),
      latency_us INTEGER NOT NULL,
      ttft_us INTEGER,
      cost_nano INTEGER,
      reported INTEGER NOT NULL CHECK (reported IN (0, 1)),
      finish_reason TEXT,
      reporter INTEGER,
      client_run_id TEXT,
      request_id TEXT,
      params TEXT,
      payload_day INTEGER,
      payload_offset INTEGER,
      payload_length INTEGER
    ) STRICT`,
    `CREATE INDEX runs_time ON runs (created_at)`,
    ...indexed.map((column) => `CREATE INDEX runs_${column} ON runs (${column}, created_at)`),
    ...indexedWhenSet.map(
      (column) => `CREATE INDEX runs_${column} ON runs (${column}, created_at) WHERE ${column} IS NOT NULL`,
    ),
    `CREATE INDEX runs_failed ON runs (created_at) WHERE status = 1`,
    `CREATE UNIQUE INDEX runs_client_run_id ON runs (client_run_id, reporter) WHERE client_run_id IS NOT NULL`,
    // Tier 0: not compacted yet (hour cells), 1: hours, 2: days, 3: months, all UTC, `start` in epoch
    // milliseconds. Slice 0: everything, 1 to 5: by source, provider, model, workspace, ref_key (the other
    // names are 0), 6: every combination. A run without ref_key has ref_key 0. Sums: microseconds and
    // nano-dollars.
    `CREATE TABLE run_rollups (
      tier INTEGER NOT NULL,
      slice INTEGER NOT NULL,
      start INTEGER NOT NULL,
      source INTEGER NOT NULL,
      provider INTEGER NOT NULL,
      model INTEGER NOT NULL,
      workspace INTEGER NOT NULL,
      ref_key INTEGER NOT NULL,
      status INTEGER NOT NULL,
      n INTEGER NOT NULL,
      prompt_tokens INTEGER NOT NULL,
      output_tokens INTEGER NOT NULL,
      total_tokens INTEGER NOT NULL,
      latency_us INTEGER NOT NULL,
      cost_nano INTEGER NOT NULL,
      cost_unknown INTEGER NOT NULL,
      latencies TEXT NOT NULL,
      PRIMARY KEY (tier, slice, start, source, provider, model, workspace, ref_key, status)
    ) STRICT, WITHOUT ROWID`,
    // The run log with names as text, for people who open a snapshot with another tool.
    `CREATE VIEW run_log AS
      SELECT r.id, r.created_at, s.name AS source, p.name AS provider, m.name AS model, w.name AS workspace_id,
        k.name AS ref_key, v.name AS version, u.name AS user, c.name AS client_id,
        CASE r.status WHEN 0 THEN 'ok' ELSE 'error' END AS status, e.name AS error, r.parent_id,
        r.prompt_tokens, r.output_tokens, r.total_tokens, r.tokens_estimated,
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
      LEFT JOIN names e ON e.id = r.error`,
    `INSERT INTO meta (key, value) VALUES ('run_id', 0), ('name_id', 0)`,
  ],
}
