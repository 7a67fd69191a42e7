import { Button } from '@mantine/core'
import { IconActivity } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { t, tNode } from '../../lib/i18n.ts'
import type { SetSearch } from '../../lib/page/search.ts'
import { ConnectSnippet } from '../../shared/connect/ConnectSnippet.tsx'
import { newestRunQuery } from '../../shared/runs/newestRun.ts'
import { InWorkspace } from '../../shared/workspaces/InWorkspace.tsx'
import { Time } from '../../ui/display/Time.tsx'
import { EmptyState } from '../../ui/feedback/EmptyState.tsx'
import { isAllTime, isFiltered } from './runs.queries.ts'
import { noFilters, type RunsSearch } from './runs.search.ts'

type Props = {
  readonly search: RunsSearch
  readonly setSearch: SetSearch<RunsSearch>
  /** True if captured texts are searched, and capture is off. */
  readonly isCaptureOff: boolean
}

/** The reason why the list is empty, and the next step: another period, fewer filters, or a first run. */
export function RunsEmpty({ search, setSearch, isCaptureOff }: Props) {
  const newest = useQuery(newestRunQuery(search.workspace)).data
  const icon = <IconActivity size={28} stroke={1.5} />
  if (newest === null) {
    return (
      <InWorkspace>
        <EmptyState
          icon={icon}
          title={t('runs:empty.title')}
          text={t('runs:empty.text')}
          action={<ConnectSnippet workspace={search.workspace} />}
        />
      </InWorkspace>
    )
  }
  const isNarrowed = isFiltered(search)
  return (
    <EmptyState
      icon={icon}
      title={t(isNarrowed ? 'runs:empty.filtered_title' : 'runs:empty.period_title')}
      text={
        isCaptureOff
          ? t('runs:content.none')
          : newest !== undefined && tNode('runs:empty.newest', { time: <Time at={newest.created_at} /> })
      }
      action={
        <>
          {isNarrowed && (
            <Button variant="default" onClick={() => setSearch(noFilters)}>
              {t('common:filter.clear')}
            </Button>
          )}
          {!isAllTime(search) && (
            <Button
              variant="default"
              onClick={() => setSearch({ period: 'all', from: undefined, to: undefined })}
            >
              {t('runs:empty.all_time')}
            </Button>
          )}
        </>
      }
    />
  )
}
