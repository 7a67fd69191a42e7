import type { RunReport } from '../../../../contract/runs/run.ts'
import { log } from '../run-log.ts'
import { minimal, type RunLog } from '../runs-support.ts'

export { log, setUpLog } from '../run-log.ts'

export const list = (query: Partial<Parameters<RunLog['runs']['list']>[1]> = {}) =>
  log.runs.list(log.ctx(), { limit: 50, ...query })

export const many = (count: number, reportOf: (index: number) => Partial<RunReport>) =>
  log.runs.report(
    log.ctx(),
    Array.from({ length: count }, (_, index) => ({ ...minimal, ...reportOf(index) })),
  )
