import { Link, useNavigate } from '@tanstack/react-router'
import { memo, useMemo } from 'react'
import type { AuditEntry } from '../../../../contract/system/audit.ts'
import { bucketsOf } from '../../../lib/format/buckets.ts'
import { lengthOf } from '../../../lib/format/period.ts'
import { t } from '../../../lib/i18n.ts'
import type { SetSearch } from '../../../lib/page/search.ts'
import { CreateAlertButton, suggestionFor } from '../../../shared/alerts/CreateAlertButton.tsx'
import { changesBefore } from '../../../shared/releases/changesBefore.ts'
import { runPlots } from '../../../shared/runs/runPlots.ts'
import { TimeCharts } from '../../../ui/chart/TimeCharts.tsx'
import { TimeTable } from '../../../ui/chart/TimeTable.tsx'
import { type OverviewSearch, scopeOf } from '../overview.search.ts'
import type { OverviewStats } from '../tiles/stats.ts'
import { EventCard } from './EventCard.tsx'
import { eventLink } from './eventLink.ts'
import { markerOf } from './events.ts'

type Props = {
  readonly stats: OverviewStats
  /** Audit entries to mark on the time axis; undefined while they load. */
  readonly events: readonly AuditEntry[] | undefined
  readonly search: OverviewSearch
  readonly setSearch: SetSearch<OverviewSearch>
}

/** Charts of runs, latency, time to first token, tokens and cost over one time axis, or a table of the same figures. */
export const Charts = memo(function Charts({ stats, events, search, setSearch }: Props) {
  const navigate = useNavigate()
  const { current, previous, requestedRange, now } = stats
  const isCompared = search.compare === 'previous'
  const buckets = useMemo(
    () => bucketsOf(current.series, current.interval, requestedRange, now, current.tz),
    [current, requestedRange, now],
  )
  const plots = useMemo(
    () => runPlots(current, isCompared ? (previous?.series ?? null) : null),
    [current, previous, isCompared],
  )
  const entries = useMemo(() => new Map(events?.map((entry) => [String(entry.id), entry])), [events])
  const markers = useMemo(() => [...entries.values()].map(markerOf), [entries])
  const { period: _period, ...scope } = scopeOf(search)
  const label = t('overview:time.label')

  if (search.view === 'table') {
    return (
      <TimeTable
        label={label}
        buckets={buckets}
        plots={plots}
        rowLink={({ from, to, label: span }) => (
          <Link to="/runs/{-$id}" params={{ id: undefined }} search={{ ...scope, from, to }} preload={false}>
            {span}
          </Link>
        )}
      />
    )
  }
  return (
    <TimeCharts
      label={label}
      buckets={buckets}
      interval={current.interval}
      plots={plots}
      markers={markers}
      panelAction={({ key, title }) => {
        const suggestion = suggestionFor(key, {
          scope: search,
          stats: current,
          lengthMs: lengthOf(requestedRange, now),
        })
        return suggestion === null ? null : <CreateAlertButton chart={title} suggestion={suggestion} />
      }}
      card={(group) => (
        <EventCard
          group={group}
          span={buckets.find(({ from }) => from === group.from)?.label ?? ''}
          entries={entries}
        />
      )}
      onOpenMarker={({ id }) => {
        const entry = entries.get(id)
        if (entry !== undefined) void navigate(eventLink(entry))
      }}
      onZoom={(from, to) => setSearch({ period: undefined, from, to })}
      onOpen={({ from, to }, isFailures) =>
        void navigate({
          to: '/runs/{-$id}',
          params: { id: undefined },
          search: { ...scope, from, to, ...(isFailures && { status: ['error'] }) },
        })
      }
      onBefore={(bucket) =>
        void navigate({
          to: '/audit/{-$id}',
          params: { id: undefined },
          search: { workspace: search.workspace, ...changesBefore(bucket) },
        })
      }
    />
  )
})
