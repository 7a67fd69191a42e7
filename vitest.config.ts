import { defineConfig } from 'vitest/config'
import { builtSources } from './scripts/lib/build/built-sources.mjs'
import { findPostgres } from './scripts/lib/postgres.mjs'
import { tallyReporter } from './scripts/lib/tally.mjs'
import { LongestFirst } from './test/support/sequencer.mjs'

/**
 * Tests that share a process with those before them: loading the service again takes longer than most of
 * their tests. All others replace parts of the process (disk, memory, globals) and have one of their own.
 */
const shared = [
  'test/server/**/*.test.ts',
  'test/renderer/**/!(store-banner).test.ts',
  'test/e2e/**/*.test.ts',
  'test/architecture/**/*.test.ts',
]
/** Threads that a test starts inherit it: faults reach the threads of the store. */
const execArgv = ['--import', new URL('./test/support/disk-preload.mjs', import.meta.url).href]
/** Tests that `npm test` leaves out on this machine. The option `--exclude` does not apply to projects. */
const excluded = (process.env['TEST_EXCLUDE'] ?? '').split(',').filter((glob) => glob !== '')

/** Tests of the service that also run on PostgreSQL: each store is used by at least one. */
const storeTests = [
  'alerts/alerts',
  'alerts/seen',
  'audit/api',
  'access/frames',
  'auth/sign-ins',
  'prompts/keys',
  'prompts/transfer/exports',
  'prompts/transfer/imports',
  'runs/search',
  'runs/storage/partitions',
  'runs/run-context',
  'runs/sessions',
  'runs/stats/errors',
  'runs/stats/groups',
  'runs/stats/time-zones',
  'runs/storage/together',
  'search/search',
  'tokens/creators-and-lifetimes',
  'tokens/owners',
  'views/views',
  'workflows/runs',
  'workflows/streaming',
  'workspaces/change-and-delete',
  'workspaces/create',
  'workspaces/read',
  'workspaces/slugs',
].map((name) => `test/server/${name}.test.ts`)
/** Tests of the embedded store: its files, backups, limit and memory. */
const embeddedOnly = [
  'test/server/backups/**',
  'test/server/store/**',
  'test/server/start.test.ts',
  // Pairing windows of the embedded store end with the process. Instances of a database share theirs.
  'test/server/pairing/restart.test.ts',
  // Query plans of SQLite.
  'test/server/runs/storage/plans.test.ts',
]
const isOnPostgres = process.env['TEST_ENGINE'] === 'postgres'
/** `TEST_ENGINE=postgres` runs tests of the service on PostgreSQL only. */
const postgres = {
  extends: true as const,
  test: {
    name: 'postgres',
    include: isOnPostgres ? ['test/server/**/*.test.ts'] : storeTests,
    exclude: [...excluded, ...embeddedOnly],
    isolate: false,
    globalSetup: ['./test/support/postgres/setup.ts'],
  },
}

export default defineConfig({
  plugins: [builtSources],
  test: {
    projects: isOnPostgres
      ? [postgres]
      : [
          {
            extends: true,
            test: {
              name: 'isolated',
              include: ['test/**/*.test.ts'],
              exclude: [...shared, ...excluded],
              execArgv,
            },
          },
          {
            extends: true,
            test: { name: 'shared', include: shared, exclude: excluded, isolate: false },
          },
          ...(findPostgres() === null ? [] : [postgres]),
        ],
    environment: 'node',
    globalSetup: ['./scripts/lib/build/assert-built.mjs', './test/support/empty-store/empty-store.ts'],
    // Node loads the compiled modules itself, without the test runner.
    server: { deps: { external: [/\/dist\//] } },
    pool: 'forks',
    maxWorkers: 2,
    sequence: { sequencer: LongestFirst },
    testTimeout: 30_000,
    hookTimeout: 60_000,
    teardownTimeout: 10_000,
    allowOnly: false,
    passWithNoTests: false,
    restoreMocks: true,
    unstubEnvs: true,
    reporters: [process.env['CI'] ? 'dot' : 'default', tallyReporter],
  },
})
