import type { RunStats } from '../../../contract/run-stats.ts'
import type { Range } from '../../lib/period.ts'
import type { Subject } from './overview.search.ts'

/** The figures of a period and of the one before it. */
export type OverviewStats = {
  /** What they are about; while the next ones load, that is not what the address says. */
  readonly subject: Subject
  readonly current: RunStats
  readonly previous: RunStats | null
  /** What the service was asked for, so that a link to rows can ask for the same. */
  readonly asked: Range
  /** When, in epoch milliseconds. */
  readonly now: number
}

/** A percentile is within 3.9 % of the run it stands for; so much lower, the runs behind it are sure to be found. */
const below = 0.96

/** From which latency on the runs behind a percentile are listed, in milliseconds. */
export const latencyFrom = (percentile: number): number => Math.floor(percentile * below)
