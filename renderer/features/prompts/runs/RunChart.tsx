import { Link, useNavigate } from '@tanstack/react-router'
import { useMemo } from 'react'
import type { Prompt } from '../../../../contract/prompts/prompt.ts'
import type { PromptVersion } from '../../../../contract/prompts/prompt-versions.ts'
import { bucketsOf } from '../../../lib/format/buckets.ts'
import { lengthOf } from '../../../lib/format/period.ts'
import { t } from '../../../lib/i18n.ts'
import { CreateAlertButton, suggestionFor } from '../../../shared/alerts/CreateAlertButton.tsx'
import { changesBefore } from '../../../shared/releases/changesBefore.ts'
import { diffOf } from '../../../shared/releases/releases.ts'
import { runPlots } from '../../../shared/runs/runPlots.ts'
import { TimeCharts } from '../../../ui/chart/TimeCharts.tsx'
import { TimeTable } from '../../../ui/chart/TimeTable.tsx'
import type { PromptRunStats } from '../prompts.queries.ts'
import { VersionCard } from '../versions/VersionCard.tsx'
import { markersOf } from './runChart.ts'

type Props = {
  readonly prompt: Prompt
  readonly stats: PromptRunStats
  readonly versions: readonly PromptVersion[]
  readonly isTable: boolean
  readonly onZoom: (since: string, until: string) => void
}

/**
 * Charts of runs, latency and time to first token with a marker for each new version, or a table of the same
 * values.
 */
export function RunChart({
  prompt,
  stats: { stats, requestedRange, now },
  versions,
  isTable,
  onZoom,
}: Props) {
  const navigate = useNavigate()
  const buckets = useMemo(
    () => bucketsOf(stats.series, stats.interval, requestedRange, now, stats.tz),
    [stats, requestedRange, now],
  )
  const plots = useMemo(
    // Without runs there is no latency to draw.
    () =>
      runPlots(stats, null).filter(
        ({ key }) => key === 'runs' || key === 'ttft' || (key === 'latency' && stats.total > 0),
      ),
    [stats],
  )
  const markers = useMemo(() => markersOf(versions), [versions])
  const label = t('prompt:runs.chart', { key: prompt.key })
  const { workspace_id: workspace, id, env } = prompt
  const rowSearch = ({ from, to }: { readonly from: string; readonly to: string }) => ({
    ref_key: [prompt.key],
    workspace,
    env: [env],
    from,
    to,
  })
  if (isTable) {
    return (
      <TimeTable
        label={label}
        buckets={buckets}
        plots={plots}
        rowLink={(bucket) => (
          <Link to="/runs/{-$id}" params={{ id: undefined }} search={rowSearch(bucket)} preload={false}>
            {bucket.label}
          </Link>
        )}
      />
    )
  }
  return (
    <TimeCharts
      label={label}
      buckets={buckets}
      interval={stats.interval}
      plots={plots}
      markers={markers}
      panelAction={({ key: plot, title }) => {
        const suggestion = suggestionFor(plot, {
          scope: { workspace: prompt.workspace_id, ref_key: [prompt.key] },
          stats,
          lengthMs: lengthOf(requestedRange, now),
        })
        return suggestion === null ? null : <CreateAlertButton chart={title} suggestion={suggestion} />
      }}
      card={(group) => (
        <VersionCard
          id={id}
          group={group}
          span={buckets.find(({ from }) => from === group.from)?.label ?? ''}
          versions={versions}
        />
      )}
      onOpenMarker={(marker) =>
        void navigate({ to: '/prompts/$id', params: { id }, search: diffOf(marker.id) })
      }
      onZoom={onZoom}
      onOpen={(bucket, isFailures) =>
        void navigate({
          to: '/runs/{-$id}',
          params: { id: undefined },
          search: { ...rowSearch(bucket), ...(isFailures && { status: ['error'] }) },
        })
      }
      onBefore={(bucket) =>
        void navigate({
          to: '/audit/{-$id}',
          params: { id: undefined },
          search: { workspace, ...changesBefore(bucket) },
        })
      }
    />
  )
}
