import { ActionIcon, Tooltip } from '@mantine/core'
import { IconBellPlus } from '@tabler/icons-react'
import { lazy, Suspense } from 'react'
import type { AlertFilterName, AlertKind } from '../../../contract/alerts/alert.ts'
import type { RunStats } from '../../../contract/runs/run-stats.ts'
import { t } from '../../lib/i18n.ts'
import { useDisabledReason } from '../../lib/session/me.ts'
import { useDialogState } from '../../lib/state/useDraft.ts'
import { WhyDisabled } from '../access/WhyDisabled.tsx'
import type { AlertSuggestion } from './form/values.ts'

const AlertForm = lazy(() => import('./form/AlertForm.tsx').then((module) => ({ default: module.AlertForm })))

/** The kind of alert for the metric of a chart (keys of `runPlots`, figures of statistics). Others have none. */
const kindsByPlot: Readonly<Record<string, AlertKind>> = {
  runs: 'error_rate',
  count: 'error_rate',
  error: 'error_rate',
  error_rate: 'error_rate',
  latency: 'latency',
  avg_latency_ms: 'latency',
  p95_latency_ms: 'latency',
  p99_latency_ms: 'latency',
  cost: 'cost',
  cost_usd: 'cost',
}

type ChartScope = { readonly [N in AlertFilterName]?: readonly string[] | undefined } & {
  readonly workspace?: string | undefined
}

const minuteMs = 60_000
/** Periods that an alert can be created with from a chart, in minutes. */
const periods = [5, 10, 15, 30, 60, 180, 360, 720, 1440]

/** Returns the longest period of an alert that is not longer than that of the chart. */
const periodFor = (chartMinutes: number): number =>
  periods.findLast((minutes) => minutes <= chartMinutes) ?? periods[0] ?? 5

/** Rounds up to two significant digits. */
function roundUp(value: number): number {
  const step = 10 ** (Math.floor(Math.log10(value)) - 1)
  return Number((Math.ceil(value / step) * step).toPrecision(2))
}

/** Returns a threshold 50% above the current value; undefined if there is none. */
function thresholdFor(kind: AlertKind, stats: RunStats, share: number): number | undefined {
  const current =
    kind === 'latency'
      ? stats.p95_latency_ms
      : kind === 'cost'
        ? (stats.cost_usd ?? 0) * share
        : stats.total === 0
          ? 0
          : (100 * stats.error) / stats.total
  if (current === null || current <= 0) return undefined
  const threshold = roundUp(current * 1.5)
  return kind === 'error_rate' ? Math.min(99, Math.max(1, threshold)) : threshold
}

/**
 * Returns the alert that a chart suggests: its metric, workspace, filters and period, and a threshold 50%
 * above the current value. Null if its metric has no alert. `lengthMs`: the period that the chart shows.
 */
export function suggestionFor(
  plot: string,
  chart: { readonly scope: ChartScope; readonly stats: RunStats; readonly lengthMs: number },
): AlertSuggestion | null {
  const kind = kindsByPlot[plot]
  if (kind === undefined) return null
  const { workspace, source, provider, model, ref_key } = chart.scope
  const chartMinutes = chart.lengthMs / minuteMs
  const period = periodFor(chartMinutes)
  const threshold = thresholdFor(kind, chart.stats, period / Math.max(period, chartMinutes))
  const filters = Object.entries({ source, provider, model, ref_key }).flatMap(([name, values]) =>
    values === undefined ? [] : [[name, [...values]]],
  )
  return {
    kind,
    workspace,
    filters: Object.fromEntries(filters),
    period_minutes: period,
    ...(threshold !== undefined && { threshold }),
  }
}

type Props = {
  /** The name of the chart, for the accessible name. */
  readonly chart: string
  readonly suggestion: AlertSuggestion
}

/** Button of a chart that opens the form for an alert on what the chart shows. */
export function CreateAlertButton({ chart, suggestion }: Props) {
  const [isOpen, setOpen] = useDialogState<true>(`alert.${chart}`)
  const reason = useDisabledReason()('alerts.write')
  const label = t('common:chart.create_alert', { chart })
  return (
    <>
      <WhyDisabled reason={reason}>
        <ActionIcon variant="subtle" color="gray" size={24} aria-label={label} onClick={() => setOpen(true)}>
          <Tooltip label={label} disabled={reason !== null}>
            <IconBellPlus size={14} />
          </Tooltip>
        </ActionIcon>
      </WhyDisabled>
      {isOpen !== null && (
        <Suspense>
          <AlertForm alert={null} suggestion={suggestion} onClose={() => setOpen(null)} />
        </Suspense>
      )}
    </>
  )
}
