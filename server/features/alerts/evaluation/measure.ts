import { kindFacts } from '../../../../contract/alerts/alert.ts'
import type { Client } from '../../../../contract/live/clients.ts'
import type { RunStats } from '../../../../contract/runs/run-stats.ts'
import type { Query } from '../../../db/types.ts'
import { dayMs, minuteMs } from '../../../lib/durations.ts'
import { findWorkspaceById } from '../../../resources/workspaces.read.ts'
import { filtersOf } from '../rules/filters.ts'
import type { RuleRow } from '../rules/rules.store.ts'
import { countBehind } from './clients-behind.ts'
import type { Reading } from './transition.ts'

export type StatsOf = (query: {
  readonly workspace?: string[]
  readonly source?: string[] | undefined
  readonly provider?: string[] | undefined
  readonly model?: string[] | undefined
  readonly ref_key?: string[] | undefined
  readonly from: Date
  readonly to: Date
  readonly interval: 'day'
  readonly group_by: ['status'] | ['provider']
  readonly sort?: '-error_rate'
}) => Promise<RunStats>

export type MeasureDeps = {
  readonly read: Query
  readonly stats: StatsOf
  /** Returns the connected clients with the keys of which they have an older version. */
  readonly clients: () => Promise<readonly Client[]>
  /** The time since which the service runs and can receive runs. */
  readonly startedAt: Date
  /** Ids of alerts for which no run was found in `expectedWithinMs`. */
  readonly unused: Set<string>
}

export type Measurement = {
  readonly reading: Reading
  /** Slug of the workspace; null for all. */
  readonly workspace: string | null
  /** The provider that fails, for `provider_down`. */
  readonly provider?: string
  /** True if runs matched. */
  readonly hasRuns?: boolean
}

const noData = (reason: string): Reading => ({ value: null, reason })

/** Returns the reading of an exact value, compared as the kind of alert does. `value`: the value to show. */
function readingOf({ kind, threshold }: RuleRow, exact: number, value = exact): Reading {
  const { comparison } = kindFacts[kind]
  if (comparison === 'above') return { value, isBeyond: exact > threshold }
  if (comparison === 'below') return { value, isBeyond: exact < threshold }
  return { value, isBeyond: exact >= threshold }
}

/** Measures an alert over the period that ends now. `hasSeenRuns`: a run matched it before. */
export async function measure(
  deps: MeasureDeps,
  rule: RuleRow,
  { now, hasSeenRuns }: { readonly now: Date; readonly hasSeenRuns: boolean },
): Promise<Measurement> {
  const workspace = rule.workspace_id === null ? null : await findWorkspaceById(deps.read, rule.workspace_id)
  if (workspace === undefined) {
    return { reading: noData('The workspace was deleted; choose another one.'), workspace: null }
  }
  const slug = workspace?.slug ?? null
  if (rule.kind === 'client_behind') {
    const beforeMs = now.getTime() - rule.period_minutes * minuteMs
    const { ref_key: keys } = filtersOf(rule)
    const count = await countBehind(deps.read, await deps.clients(), { workspace: slug, keys, beforeMs })
    return { reading: readingOf(rule, count), workspace: slug }
  }
  const excess = await tooManyRuns(deps, rule, now)
  if (excess !== null) return { reading: noData(excess), workspace: slug }
  const stats = await statsSince(deps, rule, now, rule.period_minutes * minuteMs)
  const hasRuns = stats.total > 0
  if (rule.kind === 'no_runs') {
    const reading = await readNoRuns(deps, rule, stats, { now, hasSeenRuns })
    return { reading, workspace: slug, hasRuns: hasRuns || reading.value !== null }
  }
  if (rule.kind === 'provider_down') return { ...readProviderDown(rule, stats), workspace: slug, hasRuns }
  return { reading: readRuns(rule, stats), workspace: slug, hasRuns }
}

const allFiltersOf = (rule: RuleRow) => ({
  ...filtersOf(rule),
  ...(rule.workspace_id !== null && { workspace: [rule.workspace_id] }),
})

/**
 * Reads the statistics of the runs that an alert counts. Only daily roll-ups have every combination of filters:
 * with points of days, at most the runs of the first and the last day are read as rows. Grouped by status, which
 * all roll-ups have, statistics with one filter are read from hourly roll-ups.
 */
const statsSince = ({ stats }: MeasureDeps, rule: RuleRow, now: Date, lengthMs: number): Promise<RunStats> =>
  stats({
    ...allFiltersOf(rule),
    from: new Date(now.getTime() - lengthMs),
    to: now,
    interval: 'day',
    // The groups are limited: those of which every run failed come first.
    ...(rule.kind === 'provider_down'
      ? { group_by: ['provider'], sort: '-error_rate' }
      : { group_by: ['status'] }),
  })

/**
 * Maximum number of runs in the period of an alert that combines filters. The runs of a period of up to a day are
 * then read as rows, at about 100,000 per second.
 */
export const maxCombinedRuns = 200_000

/** Returns the reason why an alert is not measured: its filters would require reading too many runs. */
async function tooManyRuns({ stats }: MeasureDeps, rule: RuleRow, now: Date): Promise<string | null> {
  const isGrouped = rule.kind === 'provider_down' && filtersOf(rule).provider === undefined
  if (Object.keys(allFiltersOf(rule)).length + Number(isGrouped) < 2) return null
  const from = new Date(now.getTime() - rule.period_minutes * minuteMs)
  const { total } = await stats({ from, to: now, interval: 'day', group_by: ['status'] })
  if (total <= maxCombinedRuns) return null
  return `The period has ${total} runs; an alert with several filters reads at most ${maxCombinedRuns}. Choose a shorter period or fewer filters.`
}

/** Reads error rate, latency and cost. */
function readRuns(rule: RuleRow, stats: RunStats): Reading {
  const { total, cost_usd: cost } = stats
  if (rule.kind === 'cost') {
    if (cost === null && total > 0) return noData('The cost of the runs in the period is unknown.')
    return readingOf(rule, cost ?? 0)
  }
  if (total < rule.min_runs) {
    const found = total === 1 ? '1 run' : `${total} runs`
    return noData(`The period has ${found}; the alert needs ${rule.min_runs}.`)
  }
  if (rule.kind === 'error_rate') {
    const percent = (100 * stats.error) / total
    return readingOf(rule, percent, Math.round(percent * 100) / 100)
  }
  const latency = stats[`${rule.statistic ?? 'p95'}_latency_ms`]
  return latency === null ? noData('The period has no run.') : readingOf(rule, latency)
}

/** Returns the provider with the most failed calls among those of which every call failed. */
function readProviderDown(rule: RuleRow, stats: RunStats): Pick<Measurement, 'reading' | 'provider'> {
  if (stats.total === 0) return { reading: noData('The period has no call.') }
  const [worst] = (stats.groups ?? []).filter(({ ok }) => ok === 0).sort((a, b) => b.error - a.error)
  if (worst?.provider === undefined) return { reading: readingOf(rule, 0) }
  return { reading: readingOf(rule, worst.error), provider: worst.provider }
}

/** An alert on missing runs expects further runs only if there was one within this time, in milliseconds. */
const expectedWithinMs = 30 * dayMs

/**
 * Reads the number of runs. Without runs, the alert has a value only if runs are expected and the service could
 * have received them during the whole period.
 */
async function readNoRuns(
  deps: MeasureDeps,
  rule: RuleRow,
  stats: RunStats,
  { now, hasSeenRuns }: { readonly now: Date; readonly hasSeenRuns: boolean },
): Promise<Reading> {
  const reading = readingOf(rule, stats.total)
  if (reading.value === null || !reading.isBeyond) return reading
  if (now.getTime() - deps.startedAt.getTime() < rule.period_minutes * minuteMs) {
    return noData('The service has run for less than the period.')
  }
  if (hasSeenRuns || stats.total > 0) return reading
  // Looked up once: a run that arrives later is in the period of an evaluation.
  const isUnused =
    deps.unused.has(rule.id) || (await statsSince(deps, rule, now, expectedWithinMs)).total === 0
  if (!isUnused) return reading
  deps.unused.add(rule.id)
  return noData('No run matched in the last 30 days.')
}
