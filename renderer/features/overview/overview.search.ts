import { z } from 'zod'
import { type PeriodName, periodSearch } from '../../lib/format/period.ts'
import { oneOf, textListParam, textParam } from '../../lib/page/search.ts'

const filters = {
  source: textListParam(),
  provider: textListParam(),
  model: textListParam(),
  ref_key: textListParam(),
}
export const filterNames = ['provider', 'model', 'source', 'ref_key'] as const
export type FilterName = (typeof filterNames)[number]

export const overviewSearch = z.object({
  workspace: textParam(),
  ...periodSearch,
  ...filters,
  /** `previous`: the charts also display the previous period. */
  compare: oneOf(['previous']),
  view: oneOf(['table']),
})
export type OverviewSearch = z.output<typeof overviewSearch>

/** The period that applies if the URL names none. */
export const defaultPeriod: PeriodName = '24h'

export const noFilters = { source: undefined, provider: undefined, model: undefined, ref_key: undefined }

export const isFiltered = (search: OverviewSearch): boolean =>
  filterNames.some((name) => search[name] !== undefined)

/** Returns the search without the options that only affect the display. */
export function subjectOf({ compare: _compare, view: _view, ...subject }: OverviewSearch): Subject {
  return subject
}
export type Subject = Omit<OverviewSearch, 'compare' | 'view'>

/** Returns workspace, filters and period as search parameters of a link to the runs behind a figure. */
export function scopeOf(search: OverviewSearch): Subject {
  const { period, from, to, ...rest } = subjectOf(search)
  const isCustom = from !== undefined || to !== undefined
  return { ...rest, from, to, period: isCustom ? undefined : (period ?? defaultPeriod) }
}
