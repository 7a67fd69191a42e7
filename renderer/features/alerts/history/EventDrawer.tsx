import { Button } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useRouter } from '@tanstack/react-router'
import type { AlertEvent, AlertEventKind } from '../../../../contract/alerts/alert-events.ts'
import { formatDuration } from '../../../lib/format/format.ts'
import { t } from '../../../lib/i18n.ts'
import { addressOf } from '../../../lib/service/base-path.ts'
import { DeliveryBadge, EventBadge } from '../../../shared/alerts/StatusBadges.tsx'
import { formatAlertValue, formatPeriod } from '../../../shared/alerts/wording.ts'
import { LinkButton } from '../../../ui/display/link/LinkButton.tsx'
import { Time } from '../../../ui/display/Time.tsx'
import { DetailDrawer, type RowNavigation } from '../../../ui/page/DetailDrawer.tsx'
import { Facts } from '../../../ui/page/Facts.tsx'
import { Section } from '../../../ui/page/Section.tsx'
import styles from '../alerts.module.css'
import { alertEventQuery } from '../alerts.queries.ts'

/** The pages of events that runs did not cause. */
const pages: Partial<Record<AlertEventKind, 'clients' | 'budget'>> = {
  client_behind: 'clients',
  budget: 'budget',
}

type Props = {
  readonly id: string
  readonly navigation: RowNavigation
  readonly onClose: () => void
}

/** An event of an alert with the log of its delivery. */
export function EventDrawer({ id, navigation, onClose }: Props) {
  const query = useQuery(alertEventQuery(id))
  const router = useRouter()
  const event = query.data
  return (
    <DetailDrawer
      title={event?.alert_name ?? t('alerts:event')}
      navigation={{ ...navigation, isByTime: true }}
      onClose={onClose}
      query={query}
      summary={event !== undefined && <EventBadge type={event.type} />}
      actions={
        event !== undefined && (
          <>
            <Button variant="default" onClick={() => router.history.push(addressOf(event.link))}>
              {t(`alerts:event_drawer.open_${pages[event.kind] ?? 'runs'}`)}
            </Button>
            {event.kind !== 'budget' && (
              <LinkButton variant="subtle" to="/alerts/{-$id}" params={{ id: event.alert_id }}>
                {t('alerts:event_drawer.open_alert')}
              </LinkButton>
            )}
          </>
        )
      }
    >
      {event !== undefined && (
        <>
          <Section title={t('alerts:event_drawer.facts')}>
            <Facts
              facts={[
                { label: t('alerts:event_drawer.time'), value: <Time at={event.created_at} /> },
                {
                  label: t('alerts:event_drawer.value'),
                  value: formatAlertValue(event.kind, event.value),
                },
                {
                  label: t('alerts:event_drawer.threshold'),
                  value: formatAlertValue(event.kind, event.threshold),
                },
                { label: t('alerts:event_drawer.period'), value: formatPeriod(event.period_minutes) },
                event.resolution !== null && {
                  label: t('alerts:event_drawer.reason'),
                  value: t(`alerts:resolution.${event.resolution}`),
                },
              ]}
            />
          </Section>
          <DeliveryLog delivery={event.delivery} />
        </>
      )}
    </DetailDrawer>
  )
}

function DeliveryLog({ delivery }: Pick<AlertEvent, 'delivery'>) {
  return (
    <Section
      title={t('alerts:event_drawer.delivery')}
      aside={delivery !== null && <DeliveryBadge delivery={delivery} />}
    >
      {delivery === null && <span className="dimmed">{t('alerts:event_drawer.no_webhook')}</span>}
      {delivery?.attempts.length === 0 && (
        <span className="dimmed">{t('alerts:event_drawer.no_attempts')}</span>
      )}
      {delivery !== null && delivery.attempts.length > 0 && (
        <table className={styles['log']} aria-label={t('alerts:event_drawer.delivery')}>
          <thead>
            <tr>
              <th scope="col">{t('alerts:event_drawer.attempt')}</th>
              <th scope="col">{t('alerts:event_drawer.result')}</th>
              <th scope="col">{t('alerts:event_drawer.duration')}</th>
            </tr>
          </thead>
          <tbody>
            {delivery.attempts.map(({ at, status, error, duration_ms: duration }) => (
              <tr key={at}>
                <td>
                  <Time at={at} />
                </td>
                <td>{error ?? t('alerts:event_drawer.attempt_ok', { status: status ?? '' })}</td>
                <td>{formatDuration(duration)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
      {delivery !== null && delivery.next_attempt_at !== null && (
        <Facts
          facts={[{ label: t('alerts:event_drawer.next'), value: <Time at={delivery.next_attempt_at} /> }]}
        />
      )}
    </Section>
  )
}
