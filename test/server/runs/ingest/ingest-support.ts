import { expect } from 'vitest'
import type { RunReport } from '../../../../contract/runs/run.ts'
import { Problem } from '../../../../server/lib/fail.ts'
import { log } from '../run-log.ts'
import { minimal } from '../runs-support.ts'

export { log, reopen, setUpLog } from '../run-log.ts'

/** Returns the problem with which work is refused. */
export const problemOf = async (work: Promise<unknown>): Promise<Problem> => {
  const error = await work.then(
    () => null,
    (reason: unknown) => reason,
  )
  expect(error).toBeInstanceOf(Problem)
  return error as Problem
}

/** Reports several runs at once. */
export const batch = (...reports: Partial<RunReport>[]) =>
  log.runs.report(
    log.ctx(),
    reports.map((report) => ({ ...minimal, ...report })),
  )

/** Returns the number of stored runs. */
export const count = async () => (await log.runs.list(log.ctx(), { limit: 1 })).total
