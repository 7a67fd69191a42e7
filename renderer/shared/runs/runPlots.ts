import type { RunStats } from '../../../contract/runs/run-stats.ts'
import { formatDuration, formatMoney, formatNumber, formatShort } from '../../lib/format/format.ts'
import { t } from '../../lib/i18n.ts'
import type { Plot, Value } from '../../ui/chart/chart.ts'

type Point = RunStats['series'][number]

/** Heights of panels, in pixels. */
const tall = 100
const low = 60

const rounded = (value: number): string => (value < 10_000 ? formatNumber(value) : formatShort(value))

type Pick = (point: Point) => Value

const tokenPlot = (
  of: (pick: Pick) => readonly Value[],
  before: (pick: Pick) => readonly Value[] | undefined,
): Plot => ({
  key: 'tokens',
  title: t('common:chart.plot.tokens'),
  shape: 'bars',
  height: low,
  isCount: true,
  series: [
    {
      key: 'prompt',
      label: t('common:chart.plot.prompt'),
      tone: 'light',
      values: of((point) => point.prompt_tokens),
    },
    {
      key: 'output',
      label: t('common:chart.plot.output'),
      tone: 'strong',
      values: of((point) => point.output_tokens),
    },
  ],
  before: before((point) => point.prompt_tokens + point.output_tokens),
  format: formatNumber,
  formatShort: rounded,
})

/** Returns the panels of a period: runs, latency, tokens and cost. `previous` is shown as a dashed line. */
export function runPlots(series: readonly Point[], previous: readonly Point[] | null): readonly Plot[] {
  const of = (pick: Pick): readonly Value[] => series.map(pick)
  // Both periods have the same length, so their points pair up from the start.
  const before = (pick: Pick): readonly Value[] | undefined =>
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
      height: tall,
      isCount: true,
      series: [
        { key: 'ok', label: t('common:chart.plot.ok'), tone: 'middle', values: of(({ ok }) => ok) },
        { key: 'error', label: t('common:chart.plot.error'), tone: 'bad', values: of(({ error }) => error) },
      ],
      before: before(({ count }) => count),
      format: formatNumber,
      formatShort: rounded,
    },
    {
      key: 'latency',
      title: t('common:chart.plot.latency'),
      shape: 'lines',
      height: tall,
      series: [
        { key: 'p50', label: 'p50', tone: 'light', values: of((point) => point.p50_latency_ms) },
        { key: 'p95', label: 'p95', tone: 'strong', values: of((point) => point.p95_latency_ms) },
        { key: 'p99', label: 'p99', tone: 'middle', values: of((point) => point.p99_latency_ms) },
      ],
      lead: 'p95',
      before: before((point) => point.p95_latency_ms),
      format: formatDuration,
      formatShort: formatDuration,
    },
    tokenPlot(of, before),
    {
      key: 'cost',
      title: t('common:chart.plot.cost'),
      shape: 'bars',
      height: low,
      series: [
        {
          key: 'cost',
          label: t('common:chart.plot.cost_series'),
          tone: 'middle',
          values: of((point) => point.cost_usd),
        },
      ],
      before: before((point) => point.cost_usd),
      format: formatMoney,
      formatShort: formatMoney,
    },
  ]
}
