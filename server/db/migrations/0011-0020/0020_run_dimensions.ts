import type { Migration } from '../migration.ts'
import { onlySqlite } from '../migration.ts'

const names = 'source, provider, model, workspace, ref_key'
const sums = 'n, prompt_tokens, output_tokens, total_tokens, latency_us, cost_nano, cost_unknown, latencies'

/** Returns the statement that adds (1) or subtracts (-1) all runs with an environment, in the environment `env`. */
const cellsOf = (sign: 1 | -1, env: string): string => `
  INSERT INTO run_rollups
  SELECT 0, 7, created_at - created_at % 3600000, source, provider, model, workspace, coalesce(ref_key, 0), ${env}, 0,
    status, ${sign} * count(*), ${[
      'prompt_tokens',
      'output_tokens',
      'total_tokens',
      'latency_us',
      'cost_nano',
    ]
      .map((column) => `${sign} * coalesce(sum(${column}), 0)`)
      .join(', ')},
    ${sign} * sum(cost_nano IS NULL),
    group_concat((SELECT bucket FROM latency_buckets WHERE low <= latency_us ORDER BY low DESC LIMIT 1) || ':${sign}', ' ')
  FROM runs WHERE env IS NOT NULL
  GROUP BY 3, source, provider, model, workspace, ref_key, env, status
  ON CONFLICT DO UPDATE SET ${[
    ...['n', 'prompt_tokens', 'output_tokens', 'total_tokens', 'latency_us', 'cost_nano', 'cost_unknown'].map(
      (column) => `${column} = ${column} + excluded.${column}`,
    ),
    `latencies = latencies || ' ' || excluded.latencies`,
  ].join(', ')}`

/** Roll-ups by environment, and by version, app, user, token, tags and error type. */
export const runDimensions: Migration = {
  version: 20,
  name: 'run_dimensions',
  statements: [
    `ALTER TABLE run_rollups RENAME TO old_rollups`,
    // Tier 0: not compacted yet (hour cells), 1: hours, 2: days, 3: months, all UTC, `start` in epoch
    // milliseconds. Slice 0: everything; 1 to 6: by source, provider, model, workspace, ref_key (with env) and
    // env; 7: every combination of these; 8 to 13: by version (with ref_key and env), app, user, token, set of
    // tags and error type, in `value`. Columns that a slice does not use are 0, and so is a missing name.
    `CREATE TABLE run_rollups (
      tier INTEGER NOT NULL,
      slice INTEGER NOT NULL,
      start INTEGER NOT NULL,
      source INTEGER NOT NULL,
      provider INTEGER NOT NULL,
      model INTEGER NOT NULL,
      workspace INTEGER NOT NULL,
      ref_key INTEGER NOT NULL,
      env INTEGER NOT NULL,
      value INTEGER NOT NULL,
      status INTEGER NOT NULL,
      n INTEGER NOT NULL,
      prompt_tokens INTEGER NOT NULL,
      output_tokens INTEGER NOT NULL,
      total_tokens INTEGER NOT NULL,
      latency_us INTEGER NOT NULL,
      cost_nano INTEGER NOT NULL,
      cost_unknown INTEGER NOT NULL,
      latencies TEXT NOT NULL,
      PRIMARY KEY (tier, slice, start, source, provider, model, workspace, ref_key, env, value, status)
    ) STRICT, WITHOUT ROWID`,
    `INSERT INTO run_rollups
      SELECT tier, CASE slice WHEN 6 THEN 7 ELSE slice END, start, ${names}, 0, 0, status, ${sums} FROM old_rollups`,
    // All runs so far are in the environment 0 (unknown).
    `INSERT INTO run_rollups
      SELECT tier, 6, start, ${names}, 0, 0, status, ${sums} FROM old_rollups WHERE slice = 0`,
    `DROP TABLE old_rollups`,
    // Runs stored since migration 11 may have an environment. The next compaction adds these cells, which move the
    // runs from the environment 0 to theirs.
    ...onlySqlite([
      `CREATE TABLE latency_buckets (low REAL PRIMARY KEY, bucket INTEGER NOT NULL) STRICT, WITHOUT ROWID`,
      `INSERT INTO latency_buckets
      WITH RECURSIVE growing (low, bucket) AS (
        VALUES (1.0, 1) UNION ALL SELECT low * 1.08, bucket + 1 FROM growing WHERE bucket < 339
      ) SELECT 0.0, 0 UNION ALL SELECT low, bucket FROM growing`,
      cellsOf(1, 'env'),
      cellsOf(-1, '0'),
      `DROP TABLE latency_buckets`,
    ]),
    // The highest id of a run that is in slices 8 to 13. Older runs are added in the background.
    `INSERT INTO meta (key, value) VALUES ('rolled_up_run_id', 0)`,
  ],
}
