import '../../shared/runs/runs.texts.ts'
import { useQuery } from '@tanstack/react-query'
import { lazy, Suspense, useMemo, useState } from 'react'
import type { ListedRun } from '../../../contract/runs/run.ts'
import type { RunSort } from '../../../contract/runs/run-filters.ts'
import { runs as endpoints } from '../../../contract/runs/runs.ts'
import { filtersOf } from '../../lib/format/period.ts'
import { t } from '../../lib/i18n.ts'
import { useOpenRow } from '../../lib/page/drawer.ts'
import { useRowHoverOrFocus } from '../../lib/page/rowHoverOrFocus.ts'
import { useSearchState } from '../../lib/page/search.ts'
import { exactTotal, usePaging } from '../../lib/service/paging.ts'
import { workspaceChoicesQuery } from '../../lib/service/workspaces.ts'
import { usePausedRows } from '../../lib/state/pausedRows.ts'
import { useSelection } from '../../lib/state/selection.ts'
import { RunDrawer } from '../../shared/runs/drawer/RunDrawer.tsx'
import { LinkButton } from '../../ui/display/link/LinkButton.tsx'
import { ExportMenu } from '../../ui/export/ExportMenu.tsx'
import { Page } from '../../ui/page/Page.tsx'
import { PageHeader } from '../../ui/page/PageHeader.tsx'
import { useRowNavigation } from '../../ui/page/rowNavigation.ts'
import { DataTable } from '../../ui/table/DataTable.tsx'
import { RunsEmpty } from './RunsEmpty.tsx'
import { runColumns } from './runs.columns.tsx'
import styles from './runs.module.css'
import { defaultPeriod, defaultSort, isFiltered, runsQuery } from './runs.queries.ts'
import { noFilters, runsSearch } from './runs.search.ts'
import { ContentNotice } from './search/ContentNotice.tsx'
import { RunFilterBar } from './search/RunFilterBar.tsx'

const RunBulk = lazy(() => import('./RunBulk.tsx').then((module) => ({ default: module.RunBulk })))

const idOf = (run: ListedRun): string => String(run.id)
const nameOf = (run: ListedRun): string => t('runs:one', { id: run.id })
const none: readonly ListedRun[] = []
/** Ids increase with each run, so the difference of two ids counts runs. */
const newestOf = (runs: readonly ListedRun[]): number => Math.max(0, ...runs.map((run) => run.id))

/** The list of runs, newest first, updated live. */
export function RunsPage() {
  const [search, setSearch] = useSearchState('/runs/{-$id}', runsSearch)
  const query = useQuery(runsQuery(search))
  const workspaces = useQuery(workspaceChoicesQuery).data
  const paging = usePaging(search.cursor, query.data)
  const { openId, open, close } = useOpenRow('/runs')
  const rowHoverOrFocus = useRowHoverOrFocus()
  const [isAtTop, setAtTop] = useState(true)
  const scope = JSON.stringify(search)
  const selection = useSelection(scope)
  const total = exactTotal(query.data)
  const sort = search.sort ?? defaultSort
  const updates = usePausedRows(query.data?.data ?? none, idOf, {
    // In other orders updates are not paused. Sorted oldest first, new runs are added at the end, so no row
    // moves.
    isPaused:
      sort === defaultSort &&
      (!isAtTop || openId !== undefined || rowHoverOrFocus.isHoveredOrFocused || selection.ids.size > 0),
    scope,
    isPlaceholder: query.isPlaceholderData,
    total,
    // Without filters, the difference of ids is the number of new runs, even if they exceed a page.
    countSince:
      isFiltered(search) || search.workspace !== undefined
        ? undefined
        : (fresh, shown) => newestOf(fresh) - newestOf(shown),
  })
  const hasExcerpts = search.content !== undefined
  const columns = useMemo(() => runColumns(hasExcerpts), [hasExcerpts])
  const navigation = useRowNavigation({
    rows: updates.rows,
    idOf,
    openId,
    onOpen: (run) => open(idOf(run)),
    paging,
    page: search.cursor,
    isPlaceholder: query.isPlaceholderData,
    isByTime: sort === defaultSort,
  })
  return (
    <>
      <Page isFilled>
        <PageHeader
          title={t('runs:title')}
          count={query.data && { total: query.data.total, isCapped: query.data.total_capped === true }}
          purpose={t('runs:purpose')}
          actions={
            <>
              <LinkButton variant="default" to="/sessions">
                {t('resources:sessions.title')}
              </LinkButton>
              <ExportMenu
                endpoint={endpoints.export}
                query={() => filtersOf(search, defaultPeriod)}
                label={t('runs:title')}
                fileName="runs"
                total={total}
              />
            </>
          }
        />
        <RunFilterBar search={search} setSearch={setSearch} workspaces={workspaces} columns={columns} />
        <ContentNotice incomplete={query.data?.content_incomplete} />
        <div className={styles['rows']} {...rowHoverOrFocus.handlers}>
          <DataTable
            name="runs"
            label={t('runs:title')}
            query={query}
            rows={updates.rows}
            columns={columns}
            idOf={idOf}
            paging={paging}
            sort={sort}
            onSort={(next) => setSearch({ sort: next === defaultSort ? undefined : (next as RunSort) })}
            openId={openId}
            onOpen={(run, isNewTab) => open(idOf(run), isNewTab)}
            onAtTop={setAtTop}
            pendingRows={{
              count: updates.newCount,
              label: t('runs:waiting', { count: updates.newCount, shown: updates.newCountText }),
              onShow: updates.showNew,
            }}
            selection={{
              state: selection,
              nameOf,
              actions: (chosen) => (
                <Suspense>
                  <RunBulk runs={chosen} />
                </Suspense>
              ),
            }}
            empty={
              <RunsEmpty
                search={search}
                setSearch={setSearch}
                isCaptureOff={query.data?.content_off === true}
              />
            }
          />
        </div>
      </Page>
      {openId !== undefined && (
        <RunDrawer
          id={openId}
          navigation={navigation}
          onClose={close}
          actions={{
            addFilters: setSearch,
            replaceFilters: (filters) => setSearch({ ...noFilters, ...filters }),
            open,
          }}
        />
      )}
    </>
  )
}
