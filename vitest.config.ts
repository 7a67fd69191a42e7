import { defineConfig } from 'vitest/config'
import { builtSources } from './scripts/lib/built-sources.mjs'
import { tallyReporter } from './scripts/lib/tally.mjs'
import { LongestFirst } from './test/support/sequencer.mjs'

export default defineConfig({
  plugins: [builtSources],
  test: {
    include: ['test/**/*.test.ts'],
    environment: 'node',
    globalSetup: ['./scripts/lib/assert-built.mjs'],
    // What ships runs as it ships: loaded by Node itself, untouched by the test runner.
    server: { deps: { external: [/\/dist\//] } },
    pool: 'forks',
    // Threads that a test starts inherit it: faults reach the threads of the store.
    execArgv: ['--import', new URL('./test/support/disk-preload.mjs', import.meta.url).href],
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
