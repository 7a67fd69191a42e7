import { z } from 'zod'
import { type PeriodName, periodSearch } from '../../lib/period.ts'
import { one } from '../../lib/search.ts'

export const overviewSearch = z.object({ workspace: one(), ...periodSearch })
export type OverviewSearch = z.output<typeof overviewSearch>

/** Counts while the address names no period. */
export const defaultPeriod: PeriodName = '24h'

/** What a link to the runs behind a figure begins with: the same workspace and period. */
export function scopeOf({ workspace, period, from, to }: OverviewSearch): OverviewSearch {
  const isCustom = from !== undefined || to !== undefined
  return { workspace, from, to, period: isCustom ? undefined : (period ?? defaultPeriod) }
}
