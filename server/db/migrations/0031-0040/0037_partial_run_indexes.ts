import type { Migration } from '../migration.ts'

/** Ids of names by which these runs are filtered, so that SQLite counts them without reading rows. */
const names = 'app, provider, model, ref_key, workspace, source, env, user'

/** Indexes of the few runs that are searched most: failed and slow ones, and those with an error or without a cost. */
export const partialRunIndexes: Migration = {
  version: 37,
  name: 'partial_run_indexes',
  statements: [
    `DROP INDEX runs_failed`,
    `CREATE INDEX runs_failed ON runs (created_at, id, latency_us, ${names}) WHERE status = 1`,
    `CREATE INDEX runs_with_error ON runs (created_at, id, error, ${names}) WHERE error IS NOT NULL`,
    // Slow: from five seconds on, see features/runs/store/matching.ts.
    `CREATE INDEX runs_slow ON runs (created_at, id, latency_us, status, ${names}) WHERE latency_us >= 5000000`,
    `CREATE INDEX runs_without_cost ON runs (created_at, id, cost_nano) WHERE cost_nano IS NULL`,
  ],
}
