import type { RunStats } from '../../../contract/runs/run-stats.ts'
import type { ChainState } from '../../../contract/system/audit.ts'

/** Shares of failed runs from which the level is `warn` and `bad`. */
export const warnShare = 0.02
const badShare = 0.1
/** The service counts as slow if p95 is this many times that of the previous period. */
const slowFactor = 2
/** With fewer runs, percentiles are not compared. */
const minRuns = 30

export type Reason = 'errors' | 'slow' | 'chain' | 'chain_partly' | 'providers'
export type Health = {
  /** `quiet`: there were no runs. */
  readonly level: 'ok' | 'warn' | 'bad' | 'quiet'
  readonly reasons: readonly Reason[]
}

/** Returns the share of failed runs, from 0 to 1; null if there were no runs. */
export const errorShareOf = (stats: Pick<RunStats, 'total' | 'error'>): number | null =>
  stats.total === 0 ? null : stats.error / stats.total

type HealthInput = Pick<RunStats, 'total' | 'error' | 'p95_latency_ms'>

/**
 * Returns the health level and its reasons: share of failed runs, p95 against the previous period, audit
 * chain, number of failing providers.
 */
export function assessHealth(
  current: HealthInput,
  previous: HealthInput | null,
  chain: ChainState['status'],
  failingProviders: number,
): Health {
  const share = errorShareOf(current) ?? 0
  const [now, before] = [current.p95_latency_ms, previous?.p95_latency_ms ?? null]
  const isSlow =
    now !== null &&
    before !== null &&
    before > 0 &&
    now >= slowFactor * before &&
    Math.min(current.total, previous?.total ?? 0) >= minRuns
  const reasons: Reason[] = []
  if (chain === 'broken') reasons.push('chain')
  if (chain === 'unverifiable') reasons.push('chain_partly')
  if (share >= warnShare) reasons.push('errors')
  if (isSlow) reasons.push('slow')
  if (failingProviders > 0) reasons.push('providers')
  if (chain === 'broken' || share >= badShare) return { level: 'bad', reasons }
  if (reasons.length > 0) return { level: 'warn', reasons }
  return { level: current.total === 0 ? 'quiet' : 'ok', reasons }
}
