import type { Run } from '../../../../contract/runs/run.ts'
import type { ValueFilter } from '../../../../contract/runs/run-filters.ts'

/** Filters of the run log by values of a run. */
export type RunFilters = {
  readonly [K in Exclude<ValueFilter, 'workspace' | 'status' | 'env'>]?: string[]
} & {
  readonly status?: Run['status'][]
}

/** Actions of the page that shows the drawer of a run. */
export type RunActions = {
  /** Shows the runs that also match these filters. */
  readonly addFilters: (filters: RunFilters) => void
  /** Shows the runs that match only these filters. */
  readonly replaceFilters: (filters: RunFilters) => void
  /** Opens another run. */
  readonly open: (id: string) => void
}
