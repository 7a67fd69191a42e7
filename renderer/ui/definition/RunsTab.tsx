import { Skeleton } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { client } from '../../lib/api.ts'
import { unknown } from '../../lib/format.ts'
import { t } from '../../lib/i18n.ts'
import { Duration } from '../Duration.tsx'
import { EmptyState } from '../EmptyState.tsx'
import { ErrorState } from '../ErrorState.tsx'
import { LinkButton } from '../LinkButton.tsx'
import { Money } from '../Money.tsx'
import { Section } from '../Section.tsx'
import { StatusBadge } from '../StatusBadge.tsx'
import { Time } from '../Time.tsx'
import { Tokens } from '../Tokens.tsx'
import styles from './definition.module.css'
import type { Definition, Kind } from './definition.ts'

const latest = 30

type Props = {
  readonly kind: Kind
  readonly definition: Pick<Definition, 'key' | 'workspace_id'>
  readonly action?: React.ReactNode
}

/** Its newest entries in the run log; each opens with its details. */
export function RunsTab({ kind, definition: { key, workspace_id: workspace }, action }: Props) {
  const filters = { ref_key: key, source: kind, workspace }
  const query = useQuery({
    queryKey: ['run', `of ${kind}`, workspace, key],
    queryFn: ({ signal }) =>
      client.runs.list({ query: { ...filters, limit: latest, sort: '-created_at' } }, { signal }),
  })
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
      <EmptyState title={t('definition:runs.none')} text={t('definition:runs.none_text')} action={action} />
    )
  }
  const search = { ref_key: [key], source: [kind], workspace, period: 'all' as const }
  return (
    <Section
      title={t('definition:runs.title')}
      aside={
        <LinkButton
          variant="subtle"
          size="compact-xs"
          to="/runs/{-$id}"
          params={{ id: undefined }}
          search={search}
        >
          {t('definition:runs.all')}
        </LinkButton>
      }
    >
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable to be scrolled by keyboard */}
      <section className={styles['scroll']} aria-label={t('definition:runs.title')} tabIndex={0}>
        <table className={styles['table']} aria-label={t('definition:runs.title')}>
          <thead>
            <tr>
              <th scope="col">{t('definition:runs.time')}</th>
              <th scope="col">{t('definition:field.version')}</th>
              <th scope="col">{t('definition:runs.model')}</th>
              <th scope="col" data-number>
                {t('definition:runs.tokens')}
              </th>
              <th scope="col" data-number>
                {t('definition:runs.latency')}
              </th>
              <th scope="col" data-number>
                {t('definition:runs.cost')}
              </th>
              <th scope="col">{t('definition:runs.user')}</th>
              <th scope="col">{t('definition:runs.status')}</th>
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
                  <bdi>{run.user ?? unknown}</bdi>
                </td>
                <td>
                  <StatusBadge status={run.status} />
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </section>
    </Section>
  )
}
