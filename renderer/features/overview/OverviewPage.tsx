import './overview.texts.ts'
import { ActionIcon, Button, Skeleton, Tooltip } from '@mantine/core'
import { IconActivity, IconPrinter } from '@tabler/icons-react'
import { type UseQueryResult, useQuery } from '@tanstack/react-query'
import { useDeferredValue } from 'react'
import type { Run } from '../../../contract/runs/run.ts'
import type { RunStats } from '../../../contract/runs/run-stats.ts'
import { t } from '../../lib/i18n.ts'
import { type SetSearch, useSearchState } from '../../lib/page/search.ts'
import { ConnectSnippet } from '../../shared/connect/ConnectSnippet.tsx'
import { useFailingProviders } from '../../shared/providers/failingProviders.ts'
import { newestRunQuery } from '../../shared/runs/newestRun.ts'
import { InWorkspace } from '../../shared/workspaces/InWorkspace.tsx'
import { Badge } from '../../ui/display/Badge.tsx'
import { EmptyState } from '../../ui/feedback/EmptyState.tsx'
import { ErrorState } from '../../ui/feedback/ErrorState.tsx'
import { ProgressiveMount } from '../../ui/feedback/ProgressiveMount.tsx'
import { FilterBar } from '../../ui/filter/FilterBar.tsx'
import { Page } from '../../ui/page/Page.tsx'
import { PageHeader } from '../../ui/page/PageHeader.tsx'
import { TimeSeriesSection } from './charts/TimeSeriesSection.tsx'
import { HealthSentence } from './HealthSentence.tsx'
import { assessHealth } from './health.ts'
import { Breakdowns } from './lists/Breakdowns.tsx'
import { FrequentErrors } from './lists/FrequentErrors.tsx'
import { LatestChanges } from './lists/LatestChanges.tsx'
import { overviewFilters } from './overview.filters.ts'
import styles from './overview.module.css'
import {
  connectedQuery,
  lastPublishQuery,
  latestChangesQuery,
  overviewStatsQuery,
} from './overview.queries.ts'
import {
  defaultPeriod,
  isFiltered,
  noFilters,
  type OverviewSearch,
  overviewSearch,
} from './overview.search.ts'
import { PrintedScope } from './PrintedScope.tsx'
import { Tiles } from './tiles/Tiles.tsx'

/** The Overview page: a sentence about the health of the service, followed by the figures. */
export function OverviewPage() {
  const [search, setSearch] = useSearchState('/', overviewSearch)
  const stats = useQuery(overviewStatsQuery(search))
  const changes = useQuery(latestChangesQuery(search.workspace))
  const clients = useQuery(connectedQuery).data
  const failing = useFailingProviders()
  const lastPublish = useQuery(lastPublishQuery(search.workspace)).data
  // Deferred values keep the page responsive to clicks and typing while the figures are rendered.
  const deferredStats = useDeferredValue(stats.data)
  const deferredSearch = useDeferredValue(search)
  const isEmpty = deferredStats?.current.total === 0
  const newest = useQuery({ ...newestRunQuery(search.workspace), enabled: isEmpty }).data
  const isNarrowed = isFiltered(search)
  const isStatsOutdated = !isNarrowed && isNewer(newest, deferredStats?.now ?? 0)
  const isUnused = isEmpty && (newest === null || isStatsOutdated)
  const header = (
    <OverviewHeader
      current={stats.data?.current}
      isStale={stats.data !== undefined && stats.error !== null}
      search={search}
      setSearch={setSearch}
    />
  )
  if (deferredStats === undefined) {
    return (
      <Page>
        {header}
        <NoStats query={stats} />
      </Page>
    )
  }
  const { current, previous } = deferredStats
  const chainStatus = changes.data?.chain.status ?? null
  return (
    <Page>
      {header}
      <HealthSentence
        health={assessHealth(current, previous, chainStatus, failing.length)}
        search={deferredSearch}
        current={current}
        previous={previous}
        failing={failing}
        clients={clients}
        lastChange={changes.data?.data[0]}
        lastPublish={lastPublish}
        newest={isEmpty ? (isStatsOutdated ? null : newest) : undefined}
      />
      <ProgressiveMount>
        {isUnused ? (
          <InWorkspace>
            <EmptyState
              icon={<IconActivity size={28} stroke={1.5} />}
              title={t('overview:empty.title')}
              text={t('overview:empty.text')}
              action={<ConnectSnippet workspace={search.workspace} />}
            />
          </InWorkspace>
        ) : (
          <Tiles search={deferredSearch} current={current} previous={previous} clients={clients} />
        )}
        {isEmpty && !isUnused && <NothingFound isNarrowed={isNarrowed} setSearch={setSearch} />}
        {!isEmpty && (
          <TimeSeriesSection stats={deferredStats} search={deferredSearch} setSearch={setSearch} />
        )}
        {!isEmpty && <Breakdowns stats={current} search={deferredSearch} setSearch={setSearch} />}
        <div className={styles['pair']}>
          {!isUnused && <FrequentErrors search={deferredSearch} />}
          <LatestChanges query={changes} />
        </div>
      </ProgressiveMount>
    </Page>
  )
}

/**
 * Returns true for a run after `time`. The first run arrives before the statistics that include it. Until
 * they do, the page for an unused service stays.
 */
const isNewer = (run: Run | null | undefined, time: number): boolean =>
  run !== undefined && run !== null && Date.parse(run.created_at) >= time

function NoStats({ query }: { readonly query: UseQueryResult }) {
  if (query.error === null) return <Loading />
  return <ErrorState error={query.error} onRetry={() => void query.refetch()} />
}

type HeaderProps = {
  readonly current: RunStats | undefined
  /** True if the newest request for the figures failed. */
  readonly isStale: boolean
  readonly search: OverviewSearch
  readonly setSearch: SetSearch<OverviewSearch>
}

function OverviewHeader({ current, isStale, search, setSearch }: HeaderProps) {
  return (
    <>
      <PageHeader
        title={t('overview:title')}
        purpose={t('overview:purpose')}
        actions={
          <>
            {isStale && <Badge tone="warn">{t('overview:stale')}</Badge>}
            <Tooltip label={t('overview:print.button')}>
              <ActionIcon aria-label={t('overview:print.button')} onClick={() => window.print()}>
                <IconPrinter size={16} />
              </ActionIcon>
            </Tooltip>
          </>
        }
      />
      <div className={styles['filters']}>
        <FilterBar
          fields={overviewFilters(current)}
          values={search}
          onChange={setSearch}
          period={{ fallback: defaultPeriod }}
        />
      </div>
      <PrintedScope search={search} />
    </>
  )
}

type NothingFoundProps = {
  /** True if filters apply, besides the period. */
  readonly isNarrowed: boolean
  readonly setSearch: SetSearch<OverviewSearch>
}

function NothingFound({ isNarrowed, setSearch }: NothingFoundProps) {
  return (
    <EmptyState
      icon={<IconActivity size={28} stroke={1.5} />}
      title={t(isNarrowed ? 'overview:empty.filtered_title' : 'overview:empty.period_title')}
      text={t(isNarrowed ? 'overview:empty.filtered' : 'overview:empty.period')}
      action={
        <Button
          variant="default"
          onClick={() =>
            setSearch(isNarrowed ? noFilters : { period: 'all', from: undefined, to: undefined })
          }
        >
          {t(isNarrowed ? 'common:filter.clear' : 'overview:empty.all_time')}
        </Button>
      }
    />
  )
}

/** A placeholder of the same height as the content, so that loading causes no layout shift. */
function Loading() {
  return (
    <div role="status" aria-label={t('common:loading')} className={styles['loading']}>
      <Skeleton height={42} />
      <div className={styles['tiles']}>
        {['runs', 'errors', 'p95', 'tokens', 'cost', 'clients'].map((tile) => (
          <Skeleton key={tile} height={92} />
        ))}
      </div>
      <Skeleton height={512} />
      <div className={styles['pair']}>
        <Skeleton height={220} />
        <Skeleton height={220} />
      </div>
    </div>
  )
}
