import type { Migration, Statement } from '../migration.ts'

const names = ['source', 'provider', 'model', 'workspace', 'ref_key', 'env']
const sums = [
  ...['n', 'prompt_tokens', 'output_tokens', 'total_tokens', 'latency_us', 'cost_nano', 'cost_unknown'],
  'ttft_us',
]
const histograms = ['latencies', 'ttfts']
const keys = ['tier', 'slice', 'start', ...names, 'value', 'status']

/** Start of the hour, day and month of a cell. */
const starts = {
  1: ['start', 'start'],
  2: ['start - start % 86400000', 'start - start % 86400000'],
  3: [
    `strftime('%s', start / 1000, 'unixepoch', 'start of month') * 1000`,
    `(extract(epoch from date_trunc('month', to_timestamp(start / 1000) at time zone 'UTC') at time zone 'UTC') * 1000)::bigint`,
  ],
} as const
type Tier = keyof typeof starts

/** Returns the names that a slice has: none, one (a prompt also its environment), or all. */
const namesOf = (slice: number) =>
  slice === 7 ? names : names.filter((name, index) => index + 1 === slice || (slice === 5 && name === 'env'))

/** Returns the statement that adds the cells to the roll-ups of a tier and slice. */
function addCells(tier: Tier, slice: number): Statement {
  const own = namesOf(slice)
  const form = (start: string, joined: (column: string) => string, sum: (column: string) => string) => `
    INSERT INTO run_rollups (${[...keys, ...sums, ...histograms].join(', ')})
    SELECT ${tier}, ${slice}, ${start}, ${names.map((name) => (own.includes(name) ? name : '0')).join(', ')}, 0, status,
      ${sums.map(sum).join(', ')}, ${histograms.map(joined).join(', ')}
    FROM run_rollups WHERE tier = 0 GROUP BY ${[start, ...own, 'status'].join(', ')}
    ON CONFLICT (${keys.join(', ')}) DO UPDATE SET
      ${sums.map((column) => `${column} = run_rollups.${column} + excluded.${column}`).join(', ')},
      ${histograms.map((column) => `${column} = trim(run_rollups.${column} || ' ' || excluded.${column})`).join(', ')}`
  const [sqlite, postgres] = starts[tier]
  return {
    sqlite: form(
      sqlite,
      (column) => `trim(group_concat(${column}, ' '))`,
      (column) => `sum(${column})`,
    ),
    postgres: [
      form(
        postgres,
        (column) => `trim(string_agg(${column}, ' '))`,
        (column) => `sum(${column})::bigint`,
      ),
    ],
  }
}

/** Runs are added to all roll-ups by compaction, which reads the rows. Cells of runs (tier 0) are no longer stored. */
export const countedRuns: Migration = {
  version: 38,
  name: 'counted_runs',
  statements: [
    ...[0, 1, 2, 3, 4, 5, 6].map((slice) => addCells(1, slice)),
    ...([2, 3] as const).flatMap((tier) => [0, 1, 2, 3, 4, 5, 6, 7].map((slice) => addCells(tier, slice))),
    `DELETE FROM run_rollups WHERE tier = 0`,
    // Cells of removed runs are negative.
    `DELETE FROM run_rollups WHERE n = 0`,
    // The highest id of a run in slices 0 to 7. The roll-ups of single dimensions may not have all of these runs yet.
    `INSERT INTO meta (key, value) SELECT 'base_run_id', value FROM meta WHERE key = 'run_id'`,
  ],
}
