import { RunStatsQuery } from '../../../../contract/runs/run-stats.ts'
import { log } from '../run-log.ts'
import { at, day } from '../runs-support.ts'

export { log, reopen, setUpLog } from '../run-log.ts'

/** Returns the values of the keys and the count of each group. */
export const names = (groups: readonly object[] | undefined, ...keys: string[]) =>
  (groups ?? []).map((group) => [...keys, 'count'].map((key) => (group as Record<string, unknown>)[key]))

/** Sends a query as a request does: as texts. */
export const stats = (query: Record<string, unknown> = {}) =>
  log.runs.stats(log.ctx(), RunStatsQuery.parse({ from: at(-10 * day), ...query }))
