import { ensure } from './ensure.mjs'
import { findChromium } from './lib/chromium.mjs'
import { electronBinary, noWindowReason } from './lib/electron.mjs'
import { findProgram } from './lib/find-program.mjs'
import { findPostgres } from './lib/postgres.mjs'
import { log, PlainError } from './lib/root.mjs'
import { runTool, tools } from './lib/run.mjs'
import { afterSecondRun, clearTally, exitCode, finalLine, readTally } from './lib/tally.mjs'

/** Tests that use a real Chromium. */
const browserTests = ['test/renderer/**', 'test/e2e/**', 'test/main/chromium/**']
/** Tests that need a PostgreSQL server. Those of the service that run on both engines are left out by vitest.config.ts. */
const postgresTests = ['test/db/postgres/**', 'test/cluster/**']
/** Tests that start the load balancer of compose.yaml. */
const balancerTests = ['test/cluster/compose/compose.test.ts']
/** Tests that use the Electron binary of the app. */
const electronTests = ['test/main/electron/**']

/**
 * `npm test`: builds what is stale, checks the types of the tests, runs them, lists the tests that could not
 * run, and ends with `N passed, N failed`. Arguments are passed to vitest.
 */
async function main() {
  clearTally()
  await ensure(['server', 'console'])
  const typeErrors = await ensure(['tests']).then(() => null, plainMessage)
  const args = process.argv.slice(2)
  const chromium = findChromium()
  const noElectron =
    electronBinary() === null
      ? 'the Electron binary is not installed (npm start downloads it)'
      : noWindowReason(process.env, process.platform, process.getuid?.())
  const missing = missingPrograms(chromium)
  const excluded = [...missing.flatMap(({ tests }) => tests), ...(noElectron === null ? [] : electronTests)]
  const vitest = (/** @type {readonly string[]} */ ...options) =>
    runTool(tools.vitest, ['run', ...options], {
      show: true,
      env: {
        ...process.env,
        TEST_EXCLUDE: excluded.join(','),
        ...(chromium !== null && { CHROMIUM_PATH: chromium }),
      },
    })
  const { code, result } = await runTests(vitest, args)
  report(result)
  for (const { tests, reason } of missing) {
    log(`NOT RUN  ${tests.join(', ')}${reason}`)
    if (process.env['CI']) result.failed += 1
  }
  if (typeErrors !== null) {
    log(`BROKEN   ${typeErrors}`)
    result.failed += 1
  }
  if (noElectron !== null)
    log(`NOT RUN  ${electronTests.join(', ')}: the desktop app in a real Electron: ${noElectron}`)
  process.exitCode = exitCode(result, code)
  if (code !== 0 && result.failed === 0) result.failed = 1
  process.stdout.write(`${finalLine(result)}\n`)
}

/**
 * Returns the tests that cannot run, because a program is missing that CI must have.
 * @param {string | null} chromium
 */
function missingPrograms(chromium) {
  const install = (/** @type {string} */ name) => `no server found (apt-get install ${name})`
  return [
    {
      isMissing: chromium === null,
      tests: browserTests,
      reason: ': no Chromium found (install one or set CHROMIUM_PATH)',
    },
    {
      isMissing: findPostgres() === null,
      tests: postgresTests,
      reason: ` and the service on PostgreSQL: ${install('postgresql')}`,
    },
    { isMissing: findProgram('caddy') === null, tests: balancerTests, reason: `: ${install('caddy')}` },
  ].filter(({ isMissing }) => isMissing)
}

/**
 * Runs the tests; in CI, files that failed run once more.
 * @param {(...options: readonly string[]) => Promise<{ code: number }>} vitest
 * @param {readonly string[]} args
 */
async function runTests(vitest, args) {
  const { code } = await vitest(...args)
  const result = readTally()
  const { again } = result
  if (!process.env['CI'] || again === null) return { code, result }
  for (const file of again.files) log(`AGAIN    ${file}: it failed and is run again, alone`)
  clearTally()
  const second = await vitest('--maxWorkers=1', ...again.files)
  if (second.code === 0) for (const file of again.files) log(`FLAKY    ${file} failed, then passed: fix it`)
  return { code: second.code, result: afterSecondRun(result, readTally()) }
}

/** @param {ReturnType<typeof readTally>} result */
function report({ slowest, broken, skipped }) {
  if (process.env['CI'])
    log(`SLOWEST  ${slowest.map(({ file, seconds }) => `${file} ${seconds} s`).join(', ')}`)
  for (const name of broken) log(`BROKEN   ${name}`)
  for (const name of skipped) log(`SKIPPED  ${name}`)
}

/** Returns the message of a `PlainError` failure; throws any other. @param {unknown} error */
function plainMessage(error) {
  if (error instanceof PlainError) return error.message
  throw error
}

main().catch((error) => {
  log(error instanceof PlainError ? error.message : String(error.stack))
  process.stdout.write(`${finalLine({ passed: 0, failed: 1 })}\n`)
  process.exitCode = 1
})
