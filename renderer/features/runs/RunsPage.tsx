import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { Run } from '../../../contract/run.ts'
import { runs as endpoints } from '../../../contract/runs.ts'
import { useCalmRows } from '../../lib/calm.ts'
import { useOpenRow } from '../../lib/drawer.ts'
import { formatNumber } from '../../lib/format.ts'
import { t } from '../../lib/i18n.ts'
import { pageSize, usePaging } from '../../lib/paging.ts'
import { useReading } from '../../lib/reading.ts'
import { useSearchState } from '../../lib/search.ts'
import { ColumnChooser } from '../../ui/ColumnChooser.tsx'
import { DataTable } from '../../ui/DataTable.tsx'
import { ExportMenu } from '../../ui/ExportMenu.tsx'
import { FilterBar } from '../../ui/FilterBar.tsx'
import { Page } from '../../ui/Page.tsx'
import { PageHeader } from '../../ui/PageHeader.tsx'
import { walkOf } from '../../ui/walk.ts'
import { RunDrawer } from './RunDrawer.tsx'
import { RunsEmpty } from './RunsEmpty.tsx'
import { runColumns } from './runs.columns.tsx'
import { runFilters } from './runs.filters.ts'
import styles from './runs.module.css'
import {
  defaultPeriod,
  defaultSort,
  filtersOf,
  runNamesQuery,
  runsQuery,
  workspaceNamesQuery,
} from './runs.queries.ts'
import { runsSearch } from './runs.search.ts'

const idOf = (run: Run): string => String(run.id)
const none: readonly Run[] = []

/** What the models did: every call, newest first, live. */
export function RunsPage() {
  const [search, setSearch] = useSearchState(runsSearch)
  const query = useQuery(runsQuery(search))
  const names = useQuery(runNamesQuery).data
  const workspaces = useQuery(workspaceNamesQuery).data
  const paging = usePaging(search.cursor, query.data)
  const { openId, open, close } = useOpenRow('/runs')
  const reading = useReading()
  const [isAtTop, setAtTop] = useState(true)
  const sort = search.sort ?? defaultSort
  const calm = useCalmRows(query.data?.data ?? none, idOf, {
    // Oldest first, new runs join at the far end and nothing moves.
    isHeld: sort === defaultSort && (!isAtTop || openId !== undefined || reading.isReading),
    scope: JSON.stringify(search),
    isPlaceholder: query.isPlaceholderData,
  })
  const columns = runColumns(workspaces)
  return (
    <>
      <Page isFilled>
        <PageHeader
          title={t('runs:title')}
          count={query.data && { total: query.data.total, isCapped: query.data.total_capped === true }}
          purpose={t('runs:purpose')}
          actions={<ExportMenu endpoint={endpoints.export} query={() => filtersOf(search)} fileName="runs" />}
        />
        <FilterBar
          fields={runFilters(names, workspaces)}
          values={search}
          onChange={setSearch}
          searchLabel={t('runs:search')}
          period={{ fallback: defaultPeriod }}
        >
          <ColumnChooser table="runs" columns={columns} />
        </FilterBar>
        <div className={styles['watched']} {...reading.watch}>
          <DataTable
            name="runs"
            label={t('runs:title')}
            query={query}
            rows={calm.rows}
            columns={columns}
            idOf={idOf}
            paging={paging}
            sort={sort}
            onSort={(next) => setSearch({ sort: next === defaultSort ? undefined : next })}
            openId={openId}
            onOpen={(run) => open(idOf(run))}
            onAtTop={setAtTop}
            waiting={{
              count: calm.waiting,
              // A full page of new rows hides how many more there are.
              label: t('runs:waiting', {
                count: calm.waiting,
                shown: formatNumber(calm.waiting) + (calm.waiting >= pageSize ? '+' : ''),
              }),
              onShow: calm.release,
            }}
            empty={<RunsEmpty search={search} setSearch={setSearch} />}
          />
        </div>
      </Page>
      {openId !== undefined && (
        <RunDrawer
          id={openId}
          walk={walkOf(calm.rows, idOf, openId, (run) => open(idOf(run)))}
          onClose={close}
          workspaces={workspaces}
          setSearch={setSearch}
        />
      )}
    </>
  )
}
