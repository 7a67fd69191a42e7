import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import type { AuditEntry } from '../../../contract/audit.ts'
import { t } from '../../lib/i18n.ts'
import type { MarkerGroup } from '../../ui/chart/chart.ts'
import { MarkerSign } from '../../ui/chart/MarkerSign.tsx'
import { Time } from '../../ui/Time.tsx'
import styles from './events.module.css'
import { kindOf, markedActions } from './events.ts'

type Props = {
  readonly group: MarkerGroup
  /** "Nov 21, 09:00–10:00" */
  readonly span: string
  readonly entries: ReadonlyMap<string, AuditEntry>
  /** Further things to do about this moment, such as comparing what was served before and after it. */
  readonly children?: ReactNode
}

const mostShown = 5

/** What happened at one place of the time axis; each line opens its audit entry. */
export function EventCard({ group, span, entries, children }: Props) {
  const shown = group.markers.slice(0, mostShown).flatMap(({ id }) => entries.get(id) ?? [])
  const rest = group.markers.length - shown.length
  return (
    <>
      <p className={styles['title']}>{t('overview:event.title', { count: group.markers.length, span })}</p>
      <ul className={styles['list']}>
        {shown.map((entry) => (
          <li key={entry.id}>
            <Link to="/audit/{-$id}" params={{ id: String(entry.id) }} className={styles['line'] ?? ''}>
              <MarkerSign kind={kindOf(entry)} />
              <span className={styles['words']}>
                <bdi className={styles['summary']}>{entry.summary}</bdi>
                <span className="dimmed">
                  {t(`overview:event.${kindOf(entry)}`)} · <bdi>{entry.actor}</bdi> ·{' '}
                  <Time at={entry.created_at} />
                </span>
              </span>
            </Link>
          </li>
        ))}
      </ul>
      {rest > 0 && (
        <Link
          className={styles['rest'] ?? ''}
          to="/audit/{-$id}"
          params={{ id: undefined }}
          search={{
            workspace: undefined,
            from: group.from,
            to: group.to,
            action: [...markedActions.people, ...markedActions.prompts],
          }}
        >
          {t('overview:event.rest', { count: rest })}
        </Link>
      )}
      {children}
    </>
  )
}
