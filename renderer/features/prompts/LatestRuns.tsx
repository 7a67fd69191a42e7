import { Skeleton } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { Prompt } from '../../../contract/prompt.ts'
import { unknown } from '../../lib/format.ts'
import { t, tNode } from '../../lib/i18n.ts'
import { Duration } from '../../ui/Duration.tsx'
import { EmptyState } from '../../ui/EmptyState.tsx'
import { ErrorState } from '../../ui/ErrorState.tsx'
import { Money } from '../../ui/Money.tsx'
import { StatusBadge } from '../../ui/StatusBadge.tsx'
import { Time } from '../../ui/Time.tsx'
import { Tokens } from '../../ui/Tokens.tsx'
import styles from './prompt.module.css'
import { latestRunsQuery } from './prompts.queries.ts'

/** The newest runs of the key; each opens with its details. */
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
    <div className={styles['scroll']}>
      <table className={styles['table']} aria-label={t('prompt:runs.latest')}>
        <thead>
          <tr>
            <th scope="col">{t('prompt:runs.time')}</th>
            <th scope="col">{t('prompt:clients_tab.version')}</th>
            <th scope="col">{t('prompts:field.model')}</th>
            <th scope="col" data-number>
              {t('prompt:runs.tokens')}
            </th>
            <th scope="col" data-number>
              {t('prompt:runs.latency')}
            </th>
            <th scope="col" data-number>
              {t('prompt:runs.cost')}
            </th>
            <th scope="col">{t('prompt:runs.status')}</th>
          </tr>
        </thead>
        <tbody>
          {runs.map((run) => (
            <tr key={run.id}>
              <td>
                <Link to="/runs/{-$id}" params={{ id: String(run.id) }} search={search}>
                  <Time at={run.created_at} />
                </Link>
              </td>
              <td className="mono">{run.version ?? unknown}</td>
              <td className="mono">{run.model}</td>
              <td data-number>
                <Tokens count={run.total_tokens} isEstimate={run.tokens_estimated} />
              </td>
              <td data-number>
                <Duration ms={run.latency_ms} />
              </td>
              <td data-number>
                <Money usd={run.cost_usd} />
              </td>
              <td>
                <StatusBadge status={run.status} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}
