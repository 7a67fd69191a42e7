import { Skeleton } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { Prompt } from '../../../contract/prompt.ts'
import { t } from '../../lib/i18n.ts'
import { Avatar } from '../../ui/Avatar.tsx'
import { ErrorState } from '../../ui/ErrorState.tsx'
import { LinkButton } from '../../ui/LinkButton.tsx'
import { Section } from '../../ui/Section.tsx'
import { Time } from '../../ui/Time.tsx'
import styles from './prompt.module.css'
import { auditOfQuery } from './prompts.queries.ts'

/** What people did to this prompt, newest first; a row opens its entry. */
export function AuditTab({ prompt }: { readonly prompt: Prompt }) {
  const query = useQuery(auditOfQuery(prompt.id))
  const entries = query.data?.data
  return (
    <Section
      title={t('prompt:audit.title')}
      aside={
        <LinkButton
          variant="subtle"
          size="compact-xs"
          to="/audit/{-$id}"
          params={{ id: undefined }}
          search={{ resource: ['prompt'], resource_id: [prompt.id] }}
        >
          {t('prompt:audit.all')}
        </LinkButton>
      }
    >
      {entries === undefined ? (
        query.error === null ? (
          <Skeleton height={160} />
        ) : (
          <ErrorState error={query.error} onRetry={() => void query.refetch()} />
        )
      ) : (
        <ul className={styles['entries']} aria-label={t('prompt:audit.title')}>
          {entries.map((entry) => (
            <li key={entry.id}>
              <Link
                to="/audit/{-$id}"
                params={{ id: String(entry.id) }}
                search={{ resource: ['prompt'], resource_id: [prompt.id] }}
                className={styles['entry'] ?? ''}
              >
                <Avatar name={entry.actor} size={22} />
                <b>
                  <bdi>{entry.actor}</bdi>
                </b>
                <bdi className="truncate" title={entry.summary}>
                  {entry.summary}
                </bdi>
                <span className={styles['entryTime']}>
                  <Time at={entry.created_at} />
                </span>
              </Link>
            </li>
          ))}
        </ul>
      )}
    </Section>
  )
}
