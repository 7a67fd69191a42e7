import './alerts.texts.ts'
import {
  type AlertFilterName,
  type AlertFilters,
  type AlertKind,
  kindFacts,
  type LatencyStatistic,
} from '../../../contract/alerts/alert.ts'
import type { AlertEventKind } from '../../../contract/alerts/alert-events.ts'
import { formatDuration, formatMoney, formatPercent, unknown } from '../../lib/format/format.ts'
import { t } from '../../lib/i18n.ts'

/** The fields of an alert that its sentence contains. */
export type Condition = {
  readonly kind: AlertKind
  readonly statistic: LatencyStatistic | null
  readonly filters: AlertFilters
  /** Name of the workspace; null for all. */
  readonly workspace: string | null
  readonly threshold: number
  readonly period_minutes: number
}

/** Formats a value or threshold in the unit of the kind: `5%`, `1.2 s`, `$3.00`, `3 failed calls`. */
export function formatAlertValue(kind: AlertEventKind, value: number | null): string {
  if (value === null) return unknown
  if (kind === 'budget') return formatPercent(value / 100)
  const { unit } = kindFacts[kind]
  if (unit === 'percent') return formatPercent(value / 100)
  if (unit === 'ms') return formatDuration(value)
  if (unit === 'usd') return formatMoney(value)
  return t(`alerts:value.${unit}`, { count: value })
}

export const formatPeriod = (minutes: number): string =>
  minutes % 60 === 0
    ? t('alerts:period.hours', { count: minutes / 60 })
    : t('alerts:period.minutes', { count: minutes })

const otherFilters: readonly AlertFilterName[] = ['provider', 'model', 'source']

/** Returns the part of a sentence that names keys, other filters and the workspace. */
function scopeOf({ filters, workspace }: Pick<Condition, 'filters' | 'workspace'>): string {
  const keys = filters.ref_key ?? []
  const others = otherFilters.flatMap((name) => {
    const values = filters[name] ?? []
    if (values.length === 0) return []
    return [
      t('alerts:scope.filter', { name: t(`alerts:form.${name}`).toLowerCase(), values: values.join(', ') }),
    ]
  })
  return [
    keys.length > 0 && t('alerts:scope.of', { names: keys.join(', ') }),
    others.length > 0 && t('alerts:scope.with', { filters: others.join(', ') }),
    workspace !== null && t('alerts:scope.in', { workspace }),
  ]
    .filter((part) => part !== false)
    .join('')
}

/** Returns the condition as a sentence: "When the error rate of billing over 15 minutes is above 5%". */
export function sentenceOf(condition: Condition): string {
  const { kind, statistic, threshold, period_minutes } = condition
  return t(`alerts:sentence.${kind}`, {
    scope: scopeOf(condition),
    count: threshold,
    threshold: formatAlertValue(kind, threshold),
    period: formatPeriod(period_minutes),
    statistic: t(`alerts:statistic.${statistic ?? 'p95'}`),
  })
}

/** Returns a name for an alert without one: "Error rate of billing". */
export const nameOf = (condition: Pick<Condition, 'kind' | 'filters' | 'workspace'>): string =>
  t(`alerts:name.${condition.kind}`, { scope: scopeOf(condition) }).slice(0, 128)

/** Returns the values of an event in one line: "12.5%, threshold 5%". */
export const eventText = (event: {
  readonly kind: AlertEventKind
  readonly type: 'firing' | 'resolved'
  readonly value: number | null
  readonly threshold: number
}): string =>
  event.type === 'resolved' && event.value === null
    ? t('alerts:bell.resolved')
    : t('alerts:bell.fired', {
        value: formatAlertValue(event.kind, event.value),
        threshold: formatAlertValue(event.kind, event.threshold),
      })
