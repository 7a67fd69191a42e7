import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { at } from './root.mjs'

export const tallyFile = at('.cache/test-tally.json')

/**
 * @typedef {{ passed: number, failed: number, skipped: string[], broken: string[], slowest: Timed[], again: Again | null }} Tally
 * `broken`: what failed outside of any test (a file that does not load, an unhandled error, a run cut short).
 * @typedef {{ file: string, seconds: number }} Timed A test file and what it took, its own imports included.
 * @typedef {{ files: string[], passed: number }} Again
 * The files a second run could clear: all that failed lies in them, and in few; `passed` is what passed in them.
 */

/** A slow machine upsets one file, or two; what breaks more of them is no accident. */
const mostAgain = 2

/**
 * Counts a vitest run. What fails outside a test counts as a failure: 0 failed must mean that nothing failed.
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
  const isContained = broken.length === 0 && failing.length > 0 && failing.length <= mostAgain
  return {
    again: isContained
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

/** The files that took longest: where a shorter run has to begin. @param {readonly import('vitest/node').TestModule[]} modules */
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

/** The vitest reporter that leaves the count where `test.mjs` reads it. */
export const tallyReporter = {
  /** @type {NonNullable<import('vitest/node').Reporter['onTestRunEnd']>} */
  onTestRunEnd(modules, unhandled, reason) {
    mkdirSync(dirname(tallyFile), { recursive: true })
    writeFileSync(tallyFile, `${JSON.stringify(tally(modules, unhandled, reason), null, 2)}\n`)
  },
}

export const clearTally = () => rmSync(tallyFile, { force: true })

/** What the last run left; a run that left nothing failed. @returns {Tally} */
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
 * The count of a run whose failed files were run once more, in which the second run speaks for them.
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

/** The exit code of a run: a tool that failed without a failed test still fails. @param {Tally} result @param {number} code vitest's own */
export const exitCode = (result, code) => (result.failed > 0 || code !== 0 || result.passed === 0 ? 1 : 0)
