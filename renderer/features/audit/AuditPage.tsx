import '../../shared/audit/audit.texts.ts'
import { Button } from '@mantine/core'
import { IconHistory, IconShieldCheck } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { lazy, Suspense, useState } from 'react'
import { api } from '../../../contract/index.ts'
import type { AuditEntry } from '../../../contract/system/audit.ts'
import { filtersOf } from '../../lib/format/period.ts'
import { t } from '../../lib/i18n.ts'
import { useOpenRow } from '../../lib/page/drawer.ts'
import { useRowHoverOrFocus } from '../../lib/page/rowHoverOrFocus.ts'
import { useSearchState } from '../../lib/page/search.ts'
import { exactTotal, usePaging } from '../../lib/service/paging.ts'
import { useDisabledReason } from '../../lib/session/me.ts'
import { usePausedRows } from '../../lib/state/pausedRows.ts'
import { useSelection } from '../../lib/state/selection.ts'
import { WhyDisabled } from '../../shared/access/WhyDisabled.tsx'
import { AuditDrawer } from '../../shared/audit/AuditDrawer.tsx'
import { auditColumns } from '../../shared/audit/columns.tsx'
import { LazySavedViews } from '../../shared/views/LazySavedViews.tsx'
import { ExportMenu } from '../../ui/export/ExportMenu.tsx'
import { EmptyState } from '../../ui/feedback/EmptyState.tsx'
import { FilterBar } from '../../ui/filter/FilterBar.tsx'
import { Page } from '../../ui/page/Page.tsx'
import { PageHeader } from '../../ui/page/PageHeader.tsx'
import { useRowNavigation } from '../../ui/page/rowNavigation.ts'
import { ColumnChooser } from '../../ui/table/ColumnChooser.tsx'
import { DataTable } from '../../ui/table/DataTable.tsx'
import { noFilters, useAuditFilters } from './audit.filters.ts'
import styles from './audit.module.css'
import { auditQuery, defaultPeriod, defaultSort } from './audit.queries.ts'
import { auditSearch } from './audit.search.ts'
import { ChainBadge } from './ChainBadge.tsx'
import { ChainReportModal } from './ChainReportModal.tsx'

const AuditBulk = lazy(() => import('./AuditBulk.tsx').then((module) => ({ default: module.AuditBulk })))

const columns = auditColumns()
const none: readonly AuditEntry[] = []
const idOf = (entry: AuditEntry): string => String(entry.id)
const nameOf = (entry: AuditEntry): string => t('audit:one', { id: entry.id })

/** The audit log, with the state of its hash chain. */
export function AuditPage() {
  const [search, setSearch] = useSearchState('/audit/{-$id}', auditSearch)
  const query = useQuery(auditQuery(search))
  const paging = usePaging(search.cursor, query.data)
  const { openId, open, close } = useOpenRow('/audit')
  const [isAtTop, setAtTop] = useState(true)
  const [isVerifying, setVerifying] = useState(false)
  const { isHoveredOrFocused, handlers } = useRowHoverOrFocus()
  const verifyDisabledReason = useDisabledReason()('audit.verify')
  const scope = JSON.stringify(search)
  const selection = useSelection(scope)
  const total = exactTotal(query.data)
  const updates = usePausedRows(query.data?.data ?? none, idOf, {
    isPaused: !isAtTop || isHoveredOrFocused || openId !== undefined || selection.ids.size > 0,
    scope,
    isPlaceholder: query.isPlaceholderData,
    total,
  })
  const navigation = useRowNavigation({
    rows: updates.rows,
    idOf,
    openId,
    onOpen: (entry) => open(idOf(entry)),
    paging,
    page: search.cursor,
    isPlaceholder: query.isPlaceholderData,
    isByTime: (search.sort ?? defaultSort) === defaultSort,
  })
  const filters = useAuditFilters(updates.rows)
  const isFiltered = Object.keys(noFilters).some(
    (name) => search[name as keyof typeof noFilters] !== undefined,
  )
  const chain = query.data?.chain
  return (
    <>
      <Page isFilled>
        <PageHeader
          title={t('audit:title')}
          count={query.data && { total: query.data.total, isCapped: query.data.total_capped === true }}
          purpose={t('audit:purpose')}
          actions={
            <>
              {chain !== undefined && <ChainBadge chain={chain} />}
              <WhyDisabled reason={verifyDisabledReason}>
                <Button
                  variant="default"
                  leftSection={<IconShieldCheck size={14} />}
                  onClick={() => setVerifying(true)}
                >
                  {t('audit:chain.verify')}
                </Button>
              </WhyDisabled>
              <ExportMenu
                endpoint={api.audit.export}
                query={() => filtersOf(search, defaultPeriod)}
                label={t('audit:title')}
                fileName="audit"
                total={total}
              />
            </>
          }
        />
        <FilterBar
          fields={filters}
          values={search}
          onChange={setSearch}
          searchLabel={t('audit:search')}
          period={{ fallback: defaultPeriod }}
        >
          <LazySavedViews page="audit" search={search} onChange={setSearch} columns={columns} />
          <ColumnChooser table="audit" columns={columns} />
        </FilterBar>
        <div className={styles['list']} {...handlers}>
          <DataTable
            name="audit"
            label={t('audit:title')}
            query={query}
            rows={updates.rows}
            columns={columns}
            idOf={idOf}
            paging={paging}
            sort={search.sort ?? defaultSort}
            onSort={(sort) => setSearch(auditSearch.pick({ sort: true }).parse({ sort }))}
            openId={openId}
            onOpen={(entry, isNewTab) => open(idOf(entry), isNewTab)}
            pendingRows={{
              count: updates.newCount,
              label: t('audit:waiting', { count: updates.newCount, shown: updates.newCountText }),
              onShow: updates.showNew,
            }}
            onAtTop={setAtTop}
            selection={{
              state: selection,
              nameOf,
              actions: (chosen) => (
                <Suspense>
                  <AuditBulk entries={chosen} />
                </Suspense>
              ),
            }}
            empty={
              <EmptyState
                icon={<IconHistory size={28} stroke={1.5} />}
                title={t(isFiltered ? 'audit:empty.filtered_title' : 'audit:empty.title')}
                text={t(isFiltered ? 'audit:empty.filtered' : 'audit:empty.text')}
                action={
                  isFiltered && (
                    <Button variant="default" onClick={() => setSearch(noFilters)}>
                      {t('common:filter.clear')}
                    </Button>
                  )
                }
              />
            }
          />
        </div>
      </Page>
      {openId !== undefined && (
        <AuditDrawer key="drawer" id={openId} navigation={navigation} onClose={close} />
      )}
      {isVerifying && <ChainReportModal onClose={() => setVerifying(false)} />}
    </>
  )
}
