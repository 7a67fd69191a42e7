import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { at } from './root.mjs'

const tallyFile = at('.cache/test-tally.json')

/**
 * @typedef {{ passed: number, failed: number, skipped: string[], broken: string[], slowest: Timed[], again: Again | null }} Tally
 * `broken`: failures outside of any test (a file that does not load, an unhandled error, a run cut short).
 * @typedef {{ file: string, seconds: number }} Timed A test file and its duration, its own imports included.
 * @typedef {{ files: string[], passed: number }} Again
 * The files for a second run, if all failures are in few files; `passed` is the number of tests that passed in them.
 */

/**
 * Maximum number of failed files for a second run. A slow machine causes failures in one or two files, not in
 * many.
 */
const maxAgain = 2

/**
 * Counts a vitest run. A failure outside a test counts too: 0 failed must mean that nothing failed.
 * @param {readonly import('vitest/node').TestModule[]} modules
 * @param {readonly unknown[]} unhandled
 * @param {string} reason
 * @returns {Tally}
 */
export function tally(modules, unhandled, reason) {
  const tests = modules.flatMap((module) => [...module.children.allTests()])
  const of = (/** @type {string} */ state) => tests.filter((test) => test.result().state === state)
  const broken = [
    ...modules.flatMap((module) => {
      const suites = [module, ...module.children.allSuites()]
      return suites.filter((suite) => suite.errors().length > 0).map(() => module.relativeModuleId)
    }),
    ...unhandled.map(messageOf),
    ...(reason === 'interrupted' ? ['the run was interrupted'] : []),
    ...of('pending').map((test) => `${test.fullName} did not end`),
  ]
  const failing = modules.filter((module) =>
    [...module.children.allTests()].some((test) => test.result().state === 'failed'),
  )
  const canRunAgain = broken.length === 0 && failing.length > 0 && failing.length <= maxAgain
  return {
    again: canRunAgain
      ? {
          files: failing.map((module) => module.relativeModuleId),
          passed: of('passed').filter((test) => failing.includes(test.module)).length,
        }
      : null,
    passed: of('passed').length,
    failed: of('failed').length + broken.length,
    skipped: of('skipped').map((test) => `${test.module.relativeModuleId} > ${test.fullName}`),
    broken,
    slowest: slowestOf(modules),
  }
}

/**
 * Returns the slowest files, which are the first candidates for shorter tests.
 * @param {readonly import('vitest/node').TestModule[]} modules
 */
const slowestOf = (modules) =>
  modules
    .map((module) => {
      const { duration, collectDuration } = module.diagnostic()
      return { file: module.relativeModuleId, seconds: Math.round((duration + collectDuration) / 1000) }
    })
    .toSorted((a, b) => b.seconds - a.seconds)
    .slice(0, 20)

/** @param {unknown} error */
const messageOf = (error) =>
  typeof error === 'object' && error !== null && 'message' in error ? String(error.message) : String(error)

/** The vitest reporter that writes the counts to the file that `test.mjs` reads. */
export const tallyReporter = {
  /** @type {NonNullable<import('vitest/node').Reporter['onTestRunEnd']>} */
  onTestRunEnd(modules, unhandled, reason) {
    mkdirSync(dirname(tallyFile), { recursive: true })
    writeFileSync(tallyFile, `${JSON.stringify(tally(modules, unhandled, reason), null, 2)}\n`)
  },
}

export const clearTally = () => rmSync(tallyFile, { force: true })

/** Returns the result of the last run; a run without a result counts as failed. @returns {Tally} */
export function readTally(file = tallyFile) {
  try {
    return JSON.parse(readFileSync(file, 'utf8'))
  } catch {
    return {
      passed: 0,
      failed: 1,
      skipped: [],
      broken: ['the test run ended without a result'],
      slowest: [],
      again: null,
    }
  }
}

/**
 * Returns the result after the failed files were run again: the second run replaces their results.
 * @param {Tally} first @param {Tally} second
 * @returns {Tally}
 */
export const afterSecondRun = (first, second) => ({
  ...second,
  slowest: first.slowest,
  passed: first.passed - (first.again?.passed ?? 0) + second.passed,
  skipped: [...new Set([...first.skipped, ...second.skipped])],
  again: null,
})

/** @param {{ passed: number, failed: number }} tally */
export const finalLine = ({ passed, failed }) => `${passed} passed, ${failed} failed`

/**
 * Returns the exit code of a run: 1 also if vitest failed without a failed test.
 * @param {Tally} result @param {number} code vitest's own
 */
export const exitCode = (result, code) => (result.failed > 0 || code !== 0 || result.passed === 0 ? 1 : 0)
