import { Skeleton } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import type { Prompt } from '../../../../contract/prompt.ts'
import { t, tNode } from '../../../lib/i18n.ts'
import { RunsTable } from '../../../shared/runs/RunsTable.tsx'
import table from '../../../shared/runs/table.module.css'
import { EmptyState } from '../../../ui/feedback/EmptyState.tsx'
import { ErrorState } from '../../../ui/feedback/ErrorState.tsx'
import { latestRunsQuery } from '../prompts.queries.ts'

/** The newest runs of the key; each links to its details. */
export function LatestRuns({ prompt }: { readonly prompt: Prompt }) {
  const query = useQuery(latestRunsQuery(prompt))
  const runs = query.data?.data
  if (runs === undefined) {
    return query.error === null ? (
      <Skeleton height={160} />
    ) : (
      <ErrorState error={query.error} onRetry={() => void query.refetch()} />
    )
  }
  if (runs.length === 0) {
    return (
      <EmptyState
        title={t('prompt:runs.none')}
        text={tNode('prompt:runs.none_text', { key: <span className="mono">{prompt.key}</span> })}
      />
    )
  }
  const search = { ref_key: [prompt.key], workspace: prompt.workspace_id, period: 'all' as const }
  return (
    <div className={table['scroll']}>
      <RunsTable runs={runs} label={t('prompt:runs.latest')} search={search} />
    </div>
  )
}
