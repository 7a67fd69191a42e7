import './statistics.texts.ts'
import { Button, Skeleton } from '@mantine/core'
import { IconDownload, IconReportAnalytics } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useMemo } from 'react'
import { t } from '../../lib/i18n.ts'
import { type SetSearch, useSearchState } from '../../lib/page/search.ts'
import { workspaceChoicesQuery } from '../../lib/service/workspaces.ts'
import { ZoneNote } from '../../shared/runs/ZoneNote.tsx'
import { LazySavedViews } from '../../shared/views/LazySavedViews.tsx'
import { useWorkspaceNames } from '../../shared/workspaces/useWorkspaceNames.ts'
import { Badge } from '../../ui/display/Badge.tsx'
import { EmptyState } from '../../ui/feedback/EmptyState.tsx'
import { ErrorState } from '../../ui/feedback/ErrorState.tsx'
import { FilterBar } from '../../ui/filter/FilterBar.tsx'
import { Page } from '../../ui/page/Page.tsx'
import { PageHeader } from '../../ui/page/PageHeader.tsx'
import { Section } from '../../ui/page/Section.tsx'
import { saveCsv } from './csv.ts'
import { GroupChart } from './GroupChart.tsx'
import { Grouping } from './Grouping.tsx'
import type { Workspaces } from './groupNames.ts'
import { presetNames, presetOf } from './presets.ts'
import { statisticsFilters } from './statistics.filters.ts'
import styles from './statistics.module.css'
import { type GroupedStats, groupsQuery } from './statistics.queries.ts'
import {
  defaultMetric,
  defaultPeriod,
  isFiltered,
  noFilters,
  type StatisticsSearch,
  statisticsSearch,
} from './statistics.search.ts'
import { GroupTable } from './table/GroupTable.tsx'

/** Returns the names of the workspaces among the groups. A deleted one is only found by its id. */
function useGroupedWorkspaces(data: GroupedStats | undefined): Workspaces {
  const existing = useQuery(workspaceChoicesQuery).data
  const ids = useMemo(
    () => [...new Set((data?.stats.groups ?? []).flatMap(({ workspace }) => workspace ?? []))],
    [data],
  )
  const nameOf = useWorkspaceNames(ids)
  return useMemo(() => {
    const slugs = new Map(existing?.map(({ id, slug }) => [id, slug]))
    return new Map(ids.map((id) => [id, { name: nameOf(id) ?? id, slug: slugs.get(id) ?? id }]))
  }, [existing, ids, nameOf])
}

/** The Statistics page: figures of runs by one or two dimensions, as chart and table. */
export function StatisticsPage() {
  const [search, setSearch] = useSearchState('/statistics', statisticsSearch)
  const query = useQuery(groupsQuery(search))
  const workspaces = useGroupedWorkspaces(query.data)
  const { data, error } = query
  return (
    <Page>
      <PageHeader
        title={t('statistics:title')}
        purpose={t('statistics:purpose')}
        actions={data !== undefined && error !== null && <Badge tone="warn">{t('statistics:stale')}</Badge>}
      />
      <Presets search={search} />
      <div className={styles['filters']}>
        <FilterBar
          fields={statisticsFilters(data?.stats)}
          values={search}
          onChange={setSearch}
          period={{ fallback: defaultPeriod }}
        >
          <LazySavedViews page="statistics" search={search} onChange={setSearch} columns={null} />
          <Button
            variant="default"
            leftSection={<IconDownload size={14} />}
            disabled={data === undefined || data.stats.total === 0}
            onClick={() => data !== undefined && saveCsv(data, workspaces)}
          >
            {t('statistics:csv')}
          </Button>
        </FilterBar>
      </div>
      <Grouping search={search} setSearch={setSearch} />
      {data === undefined ? (
        error === null ? (
          <Loading />
        ) : (
          <ErrorState error={error} onRetry={() => void query.refetch()} />
        )
      ) : data.stats.total === 0 ? (
        <NothingFound search={search} setSearch={setSearch} />
      ) : (
        <Content
          data={data}
          workspaces={workspaces}
          setSearch={setSearch}
          isLoading={query.isPlaceholderData}
        />
      )}
    </Page>
  )
}

/** Links to frequent questions. Each replaces the whole view, except for the workspace. */
function Presets({ search }: { readonly search: StatisticsSearch }) {
  return (
    <nav className={styles['presets']} aria-label={t('statistics:presets')}>
      {presetNames.map((name) => (
        <Link
          key={name}
          to="/statistics"
          search={{
            ...presetOf(name),
            workspace: name === 'cost_by_workspace' ? undefined : search.workspace,
          }}
          preload={false}
          className={styles['preset'] ?? ''}
          activeOptions={{ exact: true, includeSearch: true }}
        >
          {t(`statistics:preset.${name}`)}
        </Link>
      ))}
    </nav>
  )
}

type ContentProps = {
  readonly data: GroupedStats
  readonly workspaces: Workspaces
  readonly setSearch: SetSearch<StatisticsSearch>
  /** True while the figures of another search are still shown. */
  readonly isLoading: boolean
}

function Content({ data, workspaces, setSearch, isLoading }: ContentProps) {
  const { stats, search } = data
  const figure = t(`statistics:figure.${search.metric ?? defaultMetric}`)
  return (
    <div className={styles['content']} aria-busy={isLoading} data-loading={isLoading || undefined}>
      <Section title={t('statistics:chart', { figure })} aside={<ZoneNote stats={stats} />}>
        <GroupChart data={data} workspaces={workspaces} setSearch={setSearch} />
      </Section>
      <Section title={t('statistics:table')}>
        <GroupTable data={data} workspaces={workspaces} setSearch={setSearch} />
      </Section>
    </div>
  )
}

type NothingFoundProps = {
  readonly search: StatisticsSearch
  readonly setSearch: SetSearch<StatisticsSearch>
}

function NothingFound({ search, setSearch }: NothingFoundProps) {
  const isNarrowed = isFiltered(search)
  return (
    <EmptyState
      icon={<IconReportAnalytics size={28} stroke={1.5} />}
      title={t(isNarrowed ? 'statistics:empty.filtered_title' : 'statistics:empty.title')}
      text={t(isNarrowed ? 'statistics:empty.filtered' : 'statistics:empty.text')}
      action={
        <Button
          variant="default"
          onClick={() =>
            setSearch(isNarrowed ? noFilters : { period: 'all', from: undefined, to: undefined })
          }
        >
          {t(isNarrowed ? 'common:filter.clear' : 'statistics:empty.all_time')}
        </Button>
      }
    />
  )
}

/** A placeholder of the height of the content. */
function Loading() {
  return (
    <div role="status" aria-label={t('common:loading')} className={styles['content']}>
      <Skeleton height={260} />
      <Skeleton height={320} />
    </div>
  )
}
