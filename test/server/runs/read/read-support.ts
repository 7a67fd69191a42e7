import { afterEach, beforeEach, expect } from 'vitest'
import type { RunReport } from '../../../../contract/runs/run.ts'
import { minimal, noon, openRunLog, type RunLog } from '../runs-support.ts'

export let log: RunLog

export const at = (offset: number) => new Date(noon + offset).toISOString()

export const list = (query: Partial<Parameters<RunLog['runs']['list']>[1]> = {}) =>
  log.runs.list(log.ctx(), { limit: 50, ...query })

export const many = (count: number, reportOf: (index: number) => Partial<RunReport>) =>
  log.runs.report(
    log.ctx(),
    Array.from({ length: count }, (_, index) => ({ ...minimal, ...reportOf(index) })),
  )

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
