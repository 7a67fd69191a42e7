import { useNavigate } from '@tanstack/react-router'
import { useMemo } from 'react'
import type { StatGroup } from '../../../contract/runs/run-stats.ts'
import { bucketsOf } from '../../lib/format/buckets.ts'
import { formatNumber, formatShort } from '../../lib/format/format.ts'
import { lengthOf } from '../../lib/format/period.ts'
import { t } from '../../lib/i18n.ts'
import type { SetSearch } from '../../lib/page/search.ts'
import { CreateAlertButton, suggestionFor } from '../../shared/alerts/CreateAlertButton.tsx'
import { changesBefore } from '../../shared/releases/changesBefore.ts'
import { formatPercentile } from '../../shared/runs/percentiles.ts'
import { groupTones, type Plot, type Series, type Value } from '../../ui/chart/chart.ts'
import { TimeCharts } from '../../ui/chart/TimeCharts.tsx'
import { type Figure, formatFigure, isDuration, isPercentile, isSum } from './figures.ts'
import { nameColumnsOf, nameOf, type Workspaces } from './groupNames.ts'
import { runsLinkOf } from './runsLink.ts'
import { dimensionsOf, type GroupedStats } from './statistics.queries.ts'
import { defaultMetric, type Metric, type StatisticsSearch } from './statistics.search.ts'

type Props = {
  readonly data: GroupedStats
  readonly workspaces: Workspaces
  readonly setSearch: SetSearch<StatisticsSearch>
}

const chartHeight = 180

/** Chart of the first groups over time: stacked if they add up to the whole, else as lines. */
export function GroupChart({ data, workspaces, setSearch }: Props) {
  const navigate = useNavigate()
  const { stats, search, range, now } = data
  const plots = useMemo(() => [plotOf(data, workspaces)], [data, workspaces])
  const buckets = useMemo(
    () => bucketsOf(stats.series, stats.interval, range, now, stats.tz),
    [stats, range, now],
  )
  return (
    <TimeCharts
      label={t('statistics:chart', { figure: t(`statistics:figure.${search.metric ?? defaultMetric}`) })}
      buckets={buckets}
      interval={stats.interval}
      plots={plots}
      markers={null}
      panelAction={({ key, title }) => {
        const suggestion = suggestionFor(key, { scope: search, stats, lengthMs: lengthOf(range, now) })
        return suggestion === null ? null : <CreateAlertButton chart={title} suggestion={suggestion} />
      }}
      card={() => null}
      onOpenMarker={() => undefined}
      onZoom={(from, to) => setSearch({ period: undefined, from, to })}
      onOpen={({ from, to }) =>
        void navigate({
          to: '/runs/{-$id}',
          params: { id: undefined },
          search: runsLinkOf(search, { from, to }, {}),
        })
      }
      onBefore={(bucket) =>
        void navigate({
          to: '/audit/{-$id}',
          params: { id: undefined },
          search: { workspace: search.workspace, ...changesBefore(bucket) },
        })
      }
    />
  )
}

type Point = NonNullable<StatGroup['series']>[number]

function valueAt(metric: Metric, point: Point): Value {
  if (metric === 'error_rate') return point.count === 0 ? null : point.error / point.count
  return point[metric]
}

function plotOf({ stats, search }: GroupedStats, workspaces: Workspaces): Plot {
  const metric = search.metric ?? defaultMetric
  const names = nameColumnsOf(dimensionsOf(search))
  const shown = (stats.groups ?? []).filter(({ series }) => series !== undefined).slice(0, groupTones.length)
  const series = shown.map((group, index): Series => {
    const label = names.map((name) => nameOf(name, group, workspaces)).join(' · ')
    return {
      key: label,
      label,
      tone: groupTones[index] ?? 'middle',
      values: (group.series ?? []).map((point) => valueAt(metric, point)),
    }
  })
  // A run counts for each of its tags, so the rest of the whole is not known.
  const hasRest =
    isSum(metric) && !dimensionsOf(search).includes('tag') && (stats.group_count ?? 0) > shown.length
  const rest: Series = {
    key: 'rest',
    label: t('statistics:rest'),
    tone: 'light',
    values: stats.series.map((point, index) => {
      const others = series.reduce((sum, { values }) => sum + (values[index] ?? 0), 0)
      return Math.max(0, (valueAt(metric, point) ?? 0) - others)
    }),
  }
  const isCount = metric === 'count' || metric === 'error'
  return {
    key: metric,
    title: t(`statistics:figure.${metric}`),
    shape: isSum(metric) ? 'bars' : 'lines',
    height: chartHeight,
    isCount,
    series: hasRest ? [...series, rest] : series,
    format: (value) =>
      isPercentile(metric) ? formatPercentile(value, stats.exact) : formatFigure(metric, value),
    formatShort: (value) => axisText(metric, value),
  }
}

const axisText = (metric: Figure, value: number): string =>
  isDuration(metric) || metric === 'cost_usd' || metric === 'error_rate'
    ? formatFigure(metric, value)
    : value < 10_000
      ? formatNumber(value)
      : formatShort(value)
