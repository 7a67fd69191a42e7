import { afterEach, beforeEach, expect } from 'vitest'
import type { RunReport } from '../../../../contract/runs/run.ts'
import { Problem } from '../../../../server/lib/fail.ts'
import { minimal, openRunLog, type RunLog } from '../runs-support.ts'

export let log: RunLog

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

/** Closes the run log and opens another with other options. */
export async function reopen(options: Parameters<typeof openRunLog>[0]): Promise<void> {
  await log.close()
  log = await openRunLog(options)
}

/** Opens a run log before each test of the calling file and closes it after the test. */
export function setUpLog(): void {
  beforeEach(async () => {
    log = await openRunLog()
  })
  afterEach(async () => {
    expect(log.errors).toEqual([])
    await log.close()
  })
}
