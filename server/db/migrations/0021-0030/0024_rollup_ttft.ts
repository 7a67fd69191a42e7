import type { Migration } from '../migration.ts'

/** Sums and histograms of times to first token in roll-ups. */
export const rollupTtft: Migration = {
  version: 24,
  name: 'rollup_ttft',
  statements: [
    `ALTER TABLE run_rollups ADD COLUMN ttft_us INTEGER NOT NULL DEFAULT 0`,
    `ALTER TABLE run_rollups ADD COLUMN ttfts TEXT NOT NULL DEFAULT ''`,
    // The highest id of a run that was counted without its time to first token. The runs up to it are read once
    // more in the background, for all slices: `rolled_up_run_id` is the progress.
    `INSERT INTO meta (key, value) SELECT 'ttft_run_id', value FROM meta WHERE key = 'run_id'`,
    `DELETE FROM run_rollups WHERE slice BETWEEN 8 AND 13`,
    `UPDATE meta SET value = 0 WHERE key = 'rolled_up_run_id'`,
  ],
}
