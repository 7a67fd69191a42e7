import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { User } from '../../../contract/accounts/users.ts'
import { t } from '../../lib/i18n.ts'
import { LinkButton } from '../../ui/display/link/LinkButton.tsx'
import { Time } from '../../ui/display/Time.tsx'
import { QueryPending } from '../../ui/feedback/QueryPending.tsx'
import { Section } from '../../ui/page/Section.tsx'
import styles from './users.module.css'
import { type AuditFilter, userAuditQuery } from './users.queries.ts'

/** The latest audit entries by a user and about the user's account, each with a link to all of them. */
export function UserAudit({ user }: { readonly user: User }) {
  return (
    <>
      <Entries kind="actor" filter={{ actor: [user.username] }} />
      <Entries kind="account" filter={{ resource: ['user'], resource_id: [user.id] }} />
    </>
  )
}

function Entries({ kind, filter }: { readonly kind: 'actor' | 'account'; readonly filter: AuditFilter }) {
  const query = useQuery(userAuditQuery(filter))
  const title = t(`users:audit.${kind}`)
  return (
    <Section
      title={title}
      aside={
        <LinkButton
          variant="subtle"
          size="compact-xs"
          to="/audit/{-$id}"
          params={{ id: undefined }}
          search={filter}
          aria-label={t(`users:audit.${kind}_all`)}
        >
          {t('users:audit.all')}
        </LinkButton>
      }
    >
      {query.data === undefined ? (
        <QueryPending query={query} height={60} />
      ) : query.data.length === 0 ? (
        <div className="dimmed">{t('users:audit.none')}</div>
      ) : (
        <ul className={styles['entries']} aria-label={title}>
          {query.data.map((entry) => (
            <li key={entry.id}>
              <Link to="/audit/{-$id}" params={{ id: String(entry.id) }} search={filter}>
                <bdi className="truncate">{entry.summary}</bdi>
                <span className="dimmed">
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
