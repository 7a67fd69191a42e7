import { VisuallyHidden } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { memo } from 'react'
import { formatNumber } from '../../../lib/format/format.ts'
import { t } from '../../../lib/i18n.ts'
import { LinkButton } from '../../../ui/display/link/LinkButton.tsx'
import { Time } from '../../../ui/display/Time.tsx'
import { QueryPending } from '../../../ui/feedback/QueryPending.tsx'
import { Section } from '../../../ui/page/Section.tsx'
import { errorsQuery } from '../overview.queries.ts'
import { type OverviewSearch, scopeOf } from '../overview.search.ts'
import styles from './lists.module.css'
import { searchFor } from './searchFor.ts'

/**
 * The most frequent errors of the period, grouped by message. The message links to the runs of the group, the
 * time to its latest run.
 */
export const FrequentErrors = memo(function FrequentErrors({ search }: { readonly search: OverviewSearch }) {
  const query = useQuery(errorsQuery(search))
  const errors = query.data
  const scope = { ...scopeOf(search), status: ['error' as const] }
  const groups = errors?.groups ?? []
  return (
    <Section
      title={t('overview:errors.title')}
      aside={
        groups.length > 0 && (
          <LinkButton
            variant="subtle"
            size="compact-xs"
            to="/runs/{-$id}"
            params={{ id: undefined }}
            search={scope}
          >
            {t('overview:errors.all')}
          </LinkButton>
        )
      }
    >
      {errors === undefined ? (
        <QueryPending query={query} height={120} />
      ) : groups.length === 0 ? (
        <p className={styles['note']}>{t('overview:errors.none')}</p>
      ) : (
        <ul className={styles['list']} aria-label={t('overview:errors.title')}>
          {groups.map(({ message, count, example, last_seen: at, versions: [version], models }) => (
            <li key={example.id} className={styles['row']}>
              <Link
                to="/runs/{-$id}"
                params={{ id: undefined }}
                search={{ ...scope, q: searchFor(message) ?? undefined }}
                className={`${styles['text']} ${styles['rowLink']}`}
                title={t('overview:errors.open')}
              >
                <span className={`mono truncate ${styles['message']}`} title={example.error ?? ''}>
                  {example.error ?? t('overview:errors.no_reason')}
                </span>
                <span className={`truncate ${styles['facts']}`}>
                  {version !== undefined && (
                    <>
                      <bdi>{version.ref_key}</bdi> ·{' '}
                    </>
                  )}
                  <bdi>{models.map(({ model }) => model).join(', ')}</bdi>
                </span>
              </Link>
              <span className={styles['end']}>
                {count > 1 && (
                  <span className={styles['occurrences']}>
                    {t('overview:errors.times', { count: formatNumber(count) })}
                  </span>
                )}
                <Link
                  to="/runs/{-$id}"
                  params={{ id: String(example.id) }}
                  search={scope}
                  className={styles['latest'] ?? ''}
                >
                  <VisuallyHidden>{t('overview:errors.latest')}, </VisuallyHidden>
                  <Time at={at} />
                </Link>
              </span>
            </li>
          ))}
        </ul>
      )}
    </Section>
  )
})
