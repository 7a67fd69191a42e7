import { RunStatsQuery } from '../../../../contract/runs/run-stats.ts'
import { log } from '../run-log.ts'
import { day, noon } from '../runs-support.ts'

export { log, reopen, setUpLog } from '../run-log.ts'

/** Returns a time in ms after noon of the day of the tests as text. */
export const at = (offset: number) => new Date(noon + offset).toISOString()

/** Sends a query as a request does: as texts. */
export const stats = (query: Record<string, unknown> = {}) =>
  log.runs.stats(log.ctx(), RunStatsQuery.parse({ from: at(-10 * day), ...query }))
