import { Button, Skeleton, Tooltip } from '@mantine/core'
import { IconChartBar, IconTable, IconVersions } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { lazy, memo, Suspense } from 'react'
import { formatNumber } from '../../../lib/format/format.ts'
import { t } from '../../../lib/i18n.ts'
import { useKeys } from '../../../lib/page/keys.ts'
import type { SetSearch } from '../../../lib/page/search.ts'
import { useHoverOrFocus, usePausedValue } from '../../../lib/state/pausedValue.ts'
import { hasTtft } from '../../../shared/runs/percentiles.ts'
import { ZoneNote } from '../../../shared/runs/ZoneNote.tsx'
import { Section } from '../../../ui/page/Section.tsx'
import styles from '../overview.module.css'
import { eventsQuery } from '../overview.queries.ts'
import type { OverviewSearch } from '../overview.search.ts'
import type { OverviewStats } from '../tiles/stats.ts'

// The charts are rendered after the figures, so their code is loaded separately.
const Charts = lazy(() => import('./Charts.tsx').then((module) => ({ default: module.Charts })))

type Props = {
  readonly stats: OverviewStats
  readonly search: OverviewSearch
  readonly setSearch: SetSearch<OverviewSearch>
}

/**
 * The figures of the period over time: charts or a table (key `t`), optionally compared with the period
 * before.
 */
export const TimeSeriesSection = memo(function TimeSeriesSection({ stats, search, setSearch }: Props) {
  const hoverOrFocus = useHoverOrFocus()
  const events = useQuery(eventsQuery(search))
  const scope = JSON.stringify(stats.subject)
  const pausedStats = usePausedValue(stats, { isPaused: hoverOrFocus.isHoveredOrFocused, scope })
  const shownEvents = usePausedValue(events.data, {
    isPaused: hoverOrFocus.isHoveredOrFocused,
    scope: `${scope} ${events.data === undefined || events.isPlaceholderData}`,
  }).shown
  const isTable = search.view === 'table'
  const isCompared = search.compare === 'previous'
  const canCompare = stats.previous !== null
  const toggleTable = (): void => setSearch({ view: isTable ? undefined : 'table' }, { replace: true })
  useKeys([{ keys: 't', label: t('overview:time.table_key'), run: toggleTable }])
  return (
    <div data-testid="time-series" {...hoverOrFocus.handlers}>
      <Section
        title={t('overview:time.title')}
        aside={
          <span className={styles['tools']}>
            <ZoneNote stats={pausedStats.shown.current} />
            {events.error !== null && (
              <span className="dimmed">
                {t('overview:time.events_failed')}{' '}
                <Button variant="subtle" size="compact-xs" onClick={() => void events.refetch()}>
                  {t('common:error.retry')}
                </Button>
              </span>
            )}
            {shownEvents !== undefined && shownEvents.total > shownEvents.entries.length && (
              <span className="dimmed">
                {t('overview:time.events_some', {
                  shown: formatNumber(shownEvents.entries.length),
                  total: formatNumber(shownEvents.total),
                })}
              </span>
            )}
            {pausedStats.isOutdated && (
              <span className="dimmed" data-testid="paused-updates">
                {t('overview:time.paused')}
              </span>
            )}
            <Tooltip label={t(canCompare ? 'overview:time.compare_help' : 'overview:time.compare_none')}>
              <Button
                variant="subtle"
                color="gray"
                size="compact-xs"
                leftSection={<IconVersions size={14} />}
                aria-pressed={isCompared}
                data-active={isCompared || undefined}
                aria-disabled={!canCompare}
                onClick={() => {
                  if (canCompare) setSearch({ compare: isCompared ? undefined : 'previous' })
                }}
              >
                {t('overview:time.compare')}
              </Button>
            </Tooltip>
            <Button
              variant="subtle"
              color="gray"
              size="compact-xs"
              leftSection={isTable ? <IconChartBar size={14} /> : <IconTable size={14} />}
              aria-keyshortcuts="t"
              onClick={toggleTable}
            >
              {t(isTable ? 'overview:time.charts' : 'overview:time.table')}
            </Button>
          </span>
        }
      >
        <div className={styles['timeSeries']} data-ttft={hasTtft(pausedStats.shown.current) || undefined}>
          <Suspense fallback={<Skeleton height="100%" />}>
            <Charts
              stats={pausedStats.shown}
              events={shownEvents?.entries}
              search={search}
              setSearch={setSearch}
            />
          </Suspense>
        </div>
      </Section>
    </div>
  )
})
