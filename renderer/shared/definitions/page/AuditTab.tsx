import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { t } from '../../../lib/i18n.ts'
import { client } from '../../../lib/service/api.ts'
import { pageSize } from '../../../lib/service/paging.ts'
import { Avatar } from '../../../ui/display/Avatar.tsx'
import { Time } from '../../../ui/display/Time.tsx'
import { EmptyState } from '../../../ui/feedback/EmptyState.tsx'
import { QueryPending } from '../../../ui/feedback/QueryPending.tsx'
import { Section } from '../../../ui/page/Section.tsx'
import { AuditLogLink } from '../../resources/page/AuditLogLink.tsx'
import timeline from '../../resources/versions/timeline.module.css'
import styles from '../definition.module.css'
import type { Kind } from '../definition.ts'

/** Audit entries of an agent or workflow, newest first. A row opens its entry. */
export function AuditTab({ kind, id }: { readonly kind: Kind; readonly id: string }) {
  const query = useQuery({
    queryKey: ['audit', `of ${kind}`, id],
    queryFn: ({ signal }) =>
      client.audit.list({ query: { resource: kind, resource_id: id, limit: pageSize } }, { signal }),
  })
  const entries = query.data?.data
  const search = { resource: [kind], resource_id: [id] }
  if (entries === undefined) {
    return <QueryPending query={query} height={160} />
  }
  if (entries.length === 0) return <EmptyState title={t('definition:audit.none')} />
  return (
    <Section
      title={t('definition:audit.title')}
      aside={<AuditLogLink resource={kind} id={id} label={t('definition:audit.all')} />}
    >
      <ul className={styles['entries']} aria-label={t('definition:audit.title')}>
        {entries.map((entry) => (
          <li key={entry.id}>
            <Link
              to="/audit/{-$id}"
              params={{ id: String(entry.id) }}
              search={search}
              className={styles['auditEntry'] ?? ''}
            >
              <Avatar name={entry.actor} size={22} />
              <b>
                <bdi>{entry.actor}</bdi>
              </b>
              <bdi className="truncate" title={entry.summary}>
                {entry.summary}
              </bdi>
              <span className={timeline['time']}>
                <Time at={entry.created_at} />
              </span>
            </Link>
          </li>
        ))}
      </ul>
    </Section>
  )
}
