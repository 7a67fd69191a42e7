import {
  type Alert,
  type AlertFilterName,
  type AlertFilters,
  type AlertKind,
  alertFilterNames,
  defaultMinRuns,
  kindFacts,
  type LatencyStatistic,
} from '../../../../contract/alerts/alert.ts'
import { parseMeasure } from '../../../lib/format/measure.ts'
import { type Condition, nameOf } from '../wording.ts'

/** Initial values of a new alert, for example the metric, filters and period of a chart. */
export type AlertSuggestion = {
  readonly kind?: AlertKind
  readonly statistic?: LatencyStatistic
  /** ID or slug; absent for all. */
  readonly workspace?: string | undefined
  readonly filters?: AlertFilters
  readonly period_minutes?: number
  readonly threshold?: number
}

/** The value of the selection for all workspaces. */
export const allWorkspaces = 'all'

export type AlertValues = {
  name: string
  kind: AlertKind
  statistic: LatencyStatistic
  workspace: string
  filters: Record<AlertFilterName, string[]>
  period_minutes: string
  threshold: string
  min_runs: string
  desktop: boolean
  hasWebhook: boolean
  webhook: { url: string; secret: string; local: boolean }
}

/** Thresholds that a new alert begins with, by kind. */
export const defaultThresholds: Readonly<Record<AlertKind, number>> = {
  error_rate: 5,
  latency: 5000,
  cost: 10,
  no_runs: 1,
  client_behind: 1,
  provider_down: 3,
}

const filtersIn = (filters: AlertFilters): AlertValues['filters'] => ({
  source: filters.source ?? [],
  provider: filters.provider ?? [],
  model: filters.model ?? [],
  ref_key: filters.ref_key ?? [],
})

export function newValues(suggestion: AlertSuggestion): AlertValues {
  const kind = suggestion.kind ?? 'error_rate'
  return {
    name: '',
    kind,
    statistic: suggestion.statistic ?? 'p95',
    workspace: suggestion.workspace ?? allWorkspaces,
    filters: filtersIn(suggestion.filters ?? {}),
    period_minutes: String(suggestion.period_minutes ?? 15),
    threshold: String(suggestion.threshold ?? defaultThresholds[kind]),
    min_runs: String(defaultMinRuns),
    desktop: false,
    hasWebhook: false,
    webhook: { url: '', secret: '', local: false },
  }
}

export const valuesOf = (alert: Alert): AlertValues => ({
  name: alert.name,
  kind: alert.kind,
  statistic: alert.statistic ?? 'p95',
  workspace: alert.workspace_id ?? allWorkspaces,
  filters: filtersIn(alert.filters),
  period_minutes: String(alert.period_minutes),
  threshold: String(alert.threshold),
  min_runs: String(alert.min_runs),
  desktop: alert.desktop,
  hasWebhook: alert.webhook !== null,
  webhook: { url: alert.webhook?.url ?? '', secret: '', local: alert.webhook?.local ?? false },
})

/** Parses the threshold; null if it is not a number. A latency may have a unit, such as `1.5 s`. */
export function thresholdOf({ kind, threshold }: Pick<AlertValues, 'kind' | 'threshold'>): number | null {
  if (kindFacts[kind].unit === 'ms') return parseMeasure(threshold, 'ms')
  const number = Number(threshold.replaceAll(',', '').replace(/[%$]/g, ''))
  return threshold.trim() === '' || Number.isNaN(number) ? null : number
}

/** Returns the filters that the kind has and that are set. */
const filtersFrom = ({ kind, filters }: AlertValues): AlertFilters =>
  Object.fromEntries(
    alertFilterNames
      .filter((name) => kindFacts[kind].filters.includes(name) && filters[name].length > 0)
      .map((name) => [name, filters[name]]),
  )

/** Returns the condition for the preview. `workspaceName`: the name of the selected workspace. */
export const conditionOf = (values: AlertValues, workspaceName: string): Condition => ({
  kind: values.kind,
  statistic: values.statistic,
  filters: filtersFrom(values),
  workspace: values.workspace === allWorkspaces ? null : workspaceName,
  threshold: thresholdOf(values) ?? 0,
  period_minutes: Number(values.period_minutes),
})

/** Returns the body of the request; without `kind`, which does not change. */
export function bodyOf(values: AlertValues, workspaceName: string) {
  const { kind, webhook } = values
  const condition = conditionOf(values, workspaceName)
  return {
    name: values.name.trim() === '' ? nameOf(condition) : values.name,
    statistic: kind === 'latency' ? values.statistic : null,
    workspace: values.workspace === allWorkspaces ? null : values.workspace,
    filters: condition.filters,
    period_minutes: condition.period_minutes,
    threshold: condition.threshold,
    ...(kindFacts[kind].hasMinRuns && { min_runs: Number(values.min_runs) }),
    desktop: values.desktop,
    webhook: values.hasWebhook
      ? { url: webhook.url, local: webhook.local, ...(webhook.secret !== '' && { secret: webhook.secret }) }
      : null,
  }
}
