import { percentileError, type RunStats } from '../../../contract/runs/run-stats.ts'
import { formatDuration, formatPercent } from '../../lib/format/format.ts'
import { t } from '../../lib/i18n.ts'

/** Formats a percentile in milliseconds, with `≈` if it is not exact. */
export const formatPercentile = (ms: number | null | undefined, isExact: boolean): string =>
  ms === null || ms === undefined || isExact ? formatDuration(ms) : `≈ ${formatDuration(ms)}`

/** Returns the explanation of `≈`; undefined if the percentile is exact. */
export const percentileHint = (isExact: boolean): string | undefined =>
  isExact ? undefined : t('common:chart.approximate', { percent: formatPercent(percentileError) })

/**
 * Returns the lowest duration, in milliseconds, at which the runs behind a percentile are listed. If it is not
 * exact, it may exceed the duration of its run.
 */
export const durationFrom = (percentile: number, isExact: boolean): number =>
  Math.floor(isExact ? percentile : percentile / (1 + percentileError))

/** True if runs of the period have a time to first token, which then has a panel in charts. */
export const hasTtft = ({ p95_ttft_ms }: Pick<RunStats, 'p95_ttft_ms'>): boolean => p95_ttft_ms !== null
