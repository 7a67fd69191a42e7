import { expect, it } from 'vitest'
import { afterSecondRun, exitCode, finalLine, readTally, tally } from '../../scripts/lib/tally.mjs'

type Modules = Parameters<typeof tally>[0]

/** Returns the fields of a vitest module that `tally` reads. */
function moduleOf(name: string, states: readonly string[], errors: { own?: number; suite?: number } = {}) {
  const module = {
    relativeModuleId: name,
    diagnostic: () => ({ duration: 1_000 * states.length, collectDuration: 500 }),
    errors: () => Array.from({ length: errors.own ?? 0 }),
    children: {
      allTests: () =>
        states.map((state, index) => ({ module, fullName: `case ${index + 1}`, result: () => ({ state }) })),
      allSuites: () => [{ errors: () => Array.from({ length: errors.suite ?? 0 }) }],
    },
  }
  return module
}
const modules = (...list: readonly unknown[]) => list as unknown as Modules

it('counts passed and failed tests', () => {
  const result = tally(
    modules(moduleOf('a.test.ts', ['passed', 'passed']), moduleOf('b.test.ts', ['failed', 'passed'])),
    [],
    'failed',
  )
  expect(result).toEqual({
    passed: 3,
    failed: 1,
    skipped: [],
    broken: [],
    slowest: [
      { file: 'a.test.ts', seconds: 3 },
      { file: 'b.test.ts', seconds: 3 },
    ],
    again: { files: ['b.test.ts'], passed: 1 },
  })
  expect(finalLine(result)).toBe('3 passed, 1 failed')
})

it('uses a second run for the files that failed, and no others', () => {
  const first = tally(
    modules(moduleOf('a.test.ts', ['passed', 'passed']), moduleOf('b.test.ts', ['failed', 'passed'])),
    [],
    'failed',
  )
  const repaired = tally(modules(moduleOf('b.test.ts', ['passed', 'passed'])), [], 'passed')
  expect(finalLine(afterSecondRun(first, repaired))).toBe('4 passed, 0 failed')
  const failedAgain = tally(modules(moduleOf('b.test.ts', ['failed', 'passed'])), [], 'failed')
  expect(finalLine(afterSecondRun(first, failedAgain))).toBe('3 passed, 1 failed')
  expect(exitCode(afterSecondRun(first, failedAgain), 1)).toBe(1)
})

it.each([
  ['three files fail', ['a', 'b', 'c'].map((name) => moduleOf(name, ['failed'])), []],
  ['nothing fails', [moduleOf('a', ['passed'])], []],
  ['an error occurred outside of a test', [moduleOf('a', ['failed'])], [new Error('late')]],
])('runs nothing again when %s', (_name, run, unhandled) => {
  expect(tally(modules(...run), unhandled, 'failed').again).toBeNull()
})

it('lists the slowest files first', () => {
  const files = [1, 3, 2].map((count) => moduleOf(`${count}.test.ts`, Array(count).fill('passed')))
  expect(tally(modules(...files), [], 'passed').slowest.map(({ file }) => file)).toEqual([
    '3.test.ts',
    '2.test.ts',
    '1.test.ts',
  ])
})

it('names skipped tests', () => {
  const result = tally(modules(moduleOf('a.test.ts', ['passed', 'skipped'])), [], 'passed')
  expect(result).toMatchObject({ passed: 1, failed: 0, skipped: ['a.test.ts > case 2'] })
})

it.each([
  ['a file that cannot be loaded', modules(moduleOf('a.test.ts', [], { own: 1 })), [], 'failed', 'a.test.ts'],
  ['a failing hook', modules(moduleOf('a.test.ts', ['passed'], { suite: 1 })), [], 'failed', 'a.test.ts'],
  ['an unhandled error', modules(moduleOf('a.test.ts', ['passed'])), [new Error('late')], 'failed', 'late'],
  [
    'an interrupted run',
    modules(moduleOf('a.test.ts', ['passed'])),
    [],
    'interrupted',
    'the run was interrupted',
  ],
  [
    'a test that did not end',
    modules(moduleOf('a.test.ts', ['pending'])),
    [],
    'passed',
    'case 1 did not end',
  ],
])('counts %s as a failure', (_name, run, unhandled, reason, broken) => {
  const result = tally(run, unhandled, reason)
  expect(result.failed).toBe(1)
  expect(result.broken).toEqual([broken])
})

it('treats a run without a result as a failure', () => {
  expect(readTally('/nowhere/at/all.json')).toMatchObject({ passed: 0, failed: 1 })
})

it('succeeds only if some passed, none failed and vitest agrees', () => {
  const result = (passed: number, failed: number) => ({
    passed,
    failed,
    skipped: [],
    broken: [],
    slowest: [],
    again: null,
  })
  expect(exitCode(result(5, 0), 0)).toBe(0)
  expect(exitCode(result(5, 1), 0)).toBe(1)
  expect(exitCode(result(5, 0), 1)).toBe(1)
  expect(exitCode(result(0, 0), 0)).toBe(1)
})
