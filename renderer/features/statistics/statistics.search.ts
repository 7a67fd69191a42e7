import { z } from 'zod'
import { environments } from '../../../contract/common/environments.ts'
import { runStatuses } from '../../../contract/runs/run.ts'
import { optionalRunFields } from '../../../contract/runs/run-filters.ts'
import { statDimensions, statSortFields } from '../../../contract/runs/run-stats.ts'
import { type PeriodName, periodSearch } from '../../lib/format/period.ts'
import { manyOf, oneOf, type SearchPatch, textListParam, textParam } from '../../lib/page/search.ts'

const filters = {
  provider: textListParam(),
  model: textListParam(),
  ref_key: textListParam(),
  version: textListParam(),
  env: manyOf(environments),
  app: textListParam(),
  user: textListParam(),
  token: textListParam(),
  source: textListParam(),
  status: manyOf(runStatuses),
  tag: textListParam(),
  error_type: textListParam(),
  has_no: manyOf(optionalRunFields),
}

/** The figures that the chart can show; the table is sorted by the same figure unless another is chosen. */
export const metrics = [
  'count',
  'error',
  'error_rate',
  'total_tokens',
  'cost_usd',
  'avg_latency_ms',
  'p95_latency_ms',
  'p99_latency_ms',
  'p95_ttft_ms',
] as const
export type Metric = (typeof metrics)[number]

const sorts = statSortFields.flatMap((field) => [field, `-${field}`] as const)
type Sort = (typeof sorts)[number]

export const statisticsSearch = z.object({
  workspace: textParam(),
  ...periodSearch,
  ...filters,
  by: oneOf(statDimensions),
  and: oneOf(statDimensions),
  metric: oneOf(metrics),
  sort: oneOf(sorts as [Sort, ...Sort[]]),
  /** The id of the open saved view. */
  view: textParam(),
})
export type StatisticsSearch = z.output<typeof statisticsSearch>

/** The period that applies if the address has none. */
export const defaultPeriod: PeriodName = '7d'
export const defaultDimension = 'model'
export const defaultMetric: Metric = 'count'

/** Clears every filter. */
export const noFilters: SearchPatch<StatisticsSearch> = Object.fromEntries(
  Object.keys(filters).map((name) => [name, undefined]),
)
const filterNames = Object.keys(filters) as (keyof typeof filters)[]
export const isFiltered = (search: StatisticsSearch): boolean =>
  filterNames.some((name) => search[name] !== undefined)

/** Returns the filters and the workspace, without period, grouping, order and saved view. */
export function filtersOf({
  by: _by,
  and: _and,
  metric: _metric,
  sort: _sort,
  period: _period,
  from: _from,
  to: _to,
  view: _view,
  ...rest
}: StatisticsSearch) {
  return rest
}
