import { useQuery } from '@tanstack/react-query'
import type { ListedRun } from '../../../../contract/runs/run.ts'
import { t } from '../../../lib/i18n.ts'
import type { SetSearch } from '../../../lib/page/search.ts'
import type { WorkspaceName } from '../../../shared/runs/drawer/run.queries.ts'
import { runNamesQuery } from '../../../shared/runs/runNames.ts'
import { LazySavedViews } from '../../../shared/views/LazySavedViews.tsx'
import { FilterBar } from '../../../ui/filter/FilterBar.tsx'
import { ColumnChooser } from '../../../ui/table/ColumnChooser.tsx'
import type { Column } from '../../../ui/table/columns.ts'
import { runFilters } from '../runs.filters.ts'
import { defaultPeriod } from '../runs.queries.ts'
import type { RunsSearch } from '../runs.search.ts'

type Props = {
  readonly search: RunsSearch
  readonly setSearch: SetSearch<RunsSearch>
  readonly workspaces: readonly WorkspaceName[] | undefined
  readonly columns: readonly Column<ListedRun>[]
}

/** Filters, period and searches of the run log. */
export function RunFilterBar({ search, setSearch, workspaces, columns }: Props) {
  const names = useQuery(runNamesQuery).data
  return (
    <FilterBar
      fields={runFilters(names, workspaces)}
      values={search}
      onChange={setSearch}
      searchLabel={t('runs:search')}
      textSearch={{ name: 'content', label: t('runs:content.search') }}
      period={{ fallback: defaultPeriod }}
    >
      <LazySavedViews page="runs" search={search} onChange={setSearch} columns={columns} />
      <ColumnChooser table="runs" columns={columns} />
    </FilterBar>
  )
}
