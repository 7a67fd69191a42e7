import type { UseQueryResult } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { AuditEntry } from '../../../../contract/system/audit.ts'
import { t } from '../../../lib/i18n.ts'
import { Avatar } from '../../../ui/display/Avatar.tsx'
import { LinkButton } from '../../../ui/display/link/LinkButton.tsx'
import { Time } from '../../../ui/display/Time.tsx'
import { QueryPending } from '../../../ui/feedback/QueryPending.tsx'
import { Section } from '../../../ui/page/Section.tsx'
import styles from './lists.module.css'

type Props = { readonly query: UseQueryResult<{ readonly data: readonly AuditEntry[] }> }

/** A list of the latest changes; each row links to its audit entry. */
export function LatestChanges({ query }: Props) {
  const entries = query.data?.data
  return (
    <Section
      title={t('overview:changes.title')}
      aside={
        <LinkButton variant="subtle" size="compact-xs" to="/audit/{-$id}" params={{ id: undefined }}>
          {t('overview:changes.all')}
        </LinkButton>
      }
    >
      {entries === undefined ? (
        <QueryPending query={query} height={120} />
      ) : entries.length === 0 ? (
        <p className={styles['note']}>{t('overview:changes.none')}</p>
      ) : (
        <ul className={styles['list']} aria-label={t('overview:changes.title')}>
          {entries.map((entry) => (
            <li key={entry.id}>
              <Link to="/audit/{-$id}" params={{ id: String(entry.id) }} className={styles['row'] ?? ''}>
                <Avatar name={entry.actor} size={22} />
                <span className={styles['text']}>
                  <bdi className="truncate" title={entry.summary}>
                    {entry.summary}
                  </bdi>
                  <bdi className={`truncate ${styles['facts']}`}>{entry.actor}</bdi>
                </span>
                <span className={styles['end']}>
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
