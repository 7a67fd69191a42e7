import type { RunStats } from '../../../contract/runs/run-stats.ts'
import { formatDuration, formatMoney, formatNumber, formatShort } from '../../lib/format/format.ts'
import { t } from '../../lib/i18n.ts'
import type { Plot, Value } from '../../ui/chart/chart.ts'
import { formatPercentile, hasTtft } from './percentiles.ts'

type Point = RunStats['series'][number]

/** Heights of panels, in pixels. */
const tallHeight = 100
const lowHeight = 60

const formatAxis = (value: number): string => (value < 10_000 ? formatNumber(value) : formatShort(value))

type PickValue = (point: Point) => Value

const tokenPlot = (
  valuesOf: (pick: PickValue) => readonly Value[],
  previousOf: (pick: PickValue) => readonly Value[] | undefined,
): Plot => ({
  key: 'tokens',
  title: t('common:chart.plot.tokens'),
  shape: 'bars',
  height: lowHeight,
  isCount: true,
  series: [
    {
      key: 'prompt',
      label: t('common:chart.plot.prompt'),
      tone: 'light',
      values: valuesOf((point) => point.prompt_tokens),
    },
    {
      key: 'output',
      label: t('common:chart.plot.output'),
      tone: 'strong',
      values: valuesOf((point) => point.output_tokens),
    },
  ],
  before: previousOf((point) => point.prompt_tokens + point.output_tokens),
  format: formatNumber,
  formatShort: formatAxis,
})

const ttftPlot = (
  isExact: boolean,
  valuesOf: (pick: PickValue) => readonly Value[],
  previousOf: (pick: PickValue) => readonly Value[] | undefined,
): Plot => ({
  key: 'ttft',
  title: t('common:chart.plot.ttft'),
  shape: 'lines',
  height: lowHeight,
  series: [
    { key: 'p50', label: 'p50', tone: 'line1', values: valuesOf((point) => point.p50_ttft_ms) },
    { key: 'p95', label: 'p95', tone: 'line2', values: valuesOf((point) => point.p95_ttft_ms) },
  ],
  leadKey: 'p95',
  before: previousOf((point) => point.p95_ttft_ms),
  format: (value) => formatPercentile(value, isExact),
  formatShort: formatDuration,
})

/**
 * Returns the panels of a period: runs, latency, time to first token if any, tokens and cost. `previous` is
 * shown as a dashed line.
 */
export function runPlots(stats: RunStats, previous: readonly Point[] | null): readonly Plot[] {
  const { series, exact } = stats
  const valuesOf = (pick: PickValue): readonly Value[] => series.map(pick)
  // Both periods have the same length, so their points pair up from the start.
  const previousOf = (pick: PickValue): readonly Value[] | undefined =>
    previous === null
      ? undefined
      : series.map((_, index) => {
          const point = previous[index]
          return point === undefined ? null : pick(point)
        })
  return [
    {
      key: 'runs',
      title: t('common:chart.plot.runs'),
      shape: 'bars',
      height: tallHeight,
      isCount: true,
      series: [
        { key: 'ok', label: t('common:chart.plot.ok'), tone: 'middle', values: valuesOf(({ ok }) => ok) },
        {
          key: 'error',
          label: t('common:chart.plot.error'),
          tone: 'bad',
          values: valuesOf(({ error }) => error),
        },
      ],
      before: previousOf(({ count }) => count),
      format: formatNumber,
      formatShort: formatAxis,
    },
    {
      key: 'latency',
      title: t('common:chart.plot.latency'),
      shape: 'lines',
      height: tallHeight,
      series: [
        { key: 'p50', label: 'p50', tone: 'line1', values: valuesOf((point) => point.p50_latency_ms) },
        { key: 'p95', label: 'p95', tone: 'line2', values: valuesOf((point) => point.p95_latency_ms) },
        { key: 'p99', label: 'p99', tone: 'line3', values: valuesOf((point) => point.p99_latency_ms) },
      ],
      leadKey: 'p95',
      before: previousOf((point) => point.p95_latency_ms),
      format: (value) => formatPercentile(value, exact),
      formatShort: formatDuration,
    },
    ...(hasTtft(stats) ? [ttftPlot(exact, valuesOf, previousOf)] : []),
    tokenPlot(valuesOf, previousOf),
    {
      key: 'cost',
      title: t('common:chart.plot.cost'),
      shape: 'bars',
      height: lowHeight,
      series: [
        {
          key: 'cost',
          label: t('common:chart.plot.cost_series'),
          tone: 'middle',
          values: valuesOf((point) => point.cost_usd),
        },
      ],
      before: previousOf((point) => point.cost_usd),
      format: formatMoney,
      formatShort: formatMoney,
    },
  ]
}
