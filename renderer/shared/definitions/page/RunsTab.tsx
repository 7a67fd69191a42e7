import { Skeleton } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { t } from '../../../lib/i18n.ts'
import { client } from '../../../lib/service/api.ts'
import { LinkButton } from '../../../ui/display/LinkButton.tsx'
import { EmptyState } from '../../../ui/feedback/EmptyState.tsx'
import { ErrorState } from '../../../ui/feedback/ErrorState.tsx'
import { Section } from '../../../ui/page/Section.tsx'
import { RunsTable } from '../../runs/RunsTable.tsx'
import styles from '../../runs/table.module.css'
import type { Definition, Kind } from '../definition.ts'

const latest = 30

type Props = {
  readonly kind: Kind
  readonly definition: Pick<Definition, 'key' | 'workspace_id'>
  readonly action?: React.ReactNode
}

/** Newest runs of an agent or workflow. Each opens its details. */
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
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable region must be focusable by keyboard */}
      <section className={styles['scroll']} aria-label={t('definition:runs.title')} tabIndex={0}>
        <RunsTable runs={runs} label={t('definition:runs.title')} search={search} hasUser />
      </section>
    </Section>
  )
}
