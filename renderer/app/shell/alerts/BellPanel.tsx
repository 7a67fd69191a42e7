import '../../../shared/alerts/alerts.texts.ts'
import { Button } from '@mantine/core'
import type { UseQueryResult } from '@tanstack/react-query'
import { useState } from 'react'
import type { AlertEvent } from '../../../../contract/alerts/alert-events.ts'
import { t } from '../../../lib/i18n.ts'
import { askForNotifications, notificationState } from '../../../shared/alerts/notifications.ts'
import { PathLink } from '../../../shared/alerts/PathLink.tsx'
import { EventBadge } from '../../../shared/alerts/StatusBadges.tsx'
import { eventText } from '../../../shared/alerts/wording.ts'
import { Time } from '../../../ui/display/Time.tsx'
import { ErrorState } from '../../../ui/feedback/ErrorState.tsx'
import styles from './Bell.module.css'

type Props = {
  readonly query: UseQueryResult<AlertEvent[]>
  readonly isUnread: (event: AlertEvent) => boolean
  readonly onClose: () => void
}

/** The latest events of alerts, each with a link to the rows that caused it. */
export function BellPanel({ query, isUnread, onClose }: Props) {
  const { data: events, error } = query
  const [permission, setPermission] = useState(notificationState)
  return (
    <section className={styles['panel']} aria-label={t('alerts:bell.title')}>
      <h2 className={styles['title']}>{t('alerts:bell.title')}</h2>
      {events === undefined && error !== null && (
        <ErrorState error={error} onRetry={() => void query.refetch()} />
      )}
      {events?.length === 0 && <p className={styles['empty']}>{t('alerts:bell.empty')}</p>}
      {events !== undefined && events.length > 0 && (
        <ul className={styles['list']}>
          {events.map((event) => (
            <li key={event.id} data-unread={isUnread(event) || undefined}>
              <PathLink path={event.link} className={styles['event']} onOpen={onClose}>
                <span className={styles['line']}>
                  <bdi className="truncate">{event.alert_name}</bdi>
                  {isUnread(event) && (
                    <i className={styles['dot']} role="img" aria-label={t('alerts:bell.new')} />
                  )}
                </span>
                <span className={styles['line']}>
                  <EventBadge type={event.type} />
                  <span className={styles['values']}>{eventText(event)}</span>
                  <span className="dimmed">
                    <Time at={event.created_at} />
                  </span>
                </span>
              </PathLink>
            </li>
          ))}
        </ul>
      )}
      <div className={styles['footer']}>
        {permission === 'default' && (
          <Button
            variant="subtle"
            size="compact-sm"
            onClick={() => void askForNotifications().then(setPermission)}
          >
            {t('alerts:bell.allow')}
          </Button>
        )}
        <PathLink path="/alert-history" onOpen={onClose}>
          {t('alerts:bell.history')}
        </PathLink>
        <PathLink path="/alerts" onOpen={onClose}>
          {t('alerts:bell.all')}
        </PathLink>
      </div>
    </section>
  )
}
