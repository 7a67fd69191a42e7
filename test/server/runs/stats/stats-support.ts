import { afterEach } from 'vitest'
import { RunStatsQuery } from '../../../../contract/runs/run-stats.ts'
import { day, noon, openRunLog, type RunLog } from '../runs-support.ts'

export let log: RunLog

/** Returns a time in ms after noon of the day of the tests as text. */
export const at = (offset: number) => new Date(noon + offset).toISOString()

/** Sends a query as a request does: as texts. */
export const stats = (query: Record<string, unknown> = {}) =>
  log.runs.stats(log.ctx(), RunStatsQuery.parse({ from: at(-10 * day), ...query }))

/** Opens the run log of a test. */
export async function openLog(options?: Parameters<typeof openRunLog>[0]): Promise<void> {
  log = await openRunLog(options)
}

/** Closes the run log after each test of the calling file. */
export function closeLogAfterEach(): void {
  afterEach(() => log.close())
}
