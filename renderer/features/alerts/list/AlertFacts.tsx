import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { type Alert, kindFacts } from '../../../../contract/alerts/alert.ts'
import { formatNumber } from '../../../lib/format/format.ts'
import { t } from '../../../lib/i18n.ts'
import { DeliveryBadge, EventBadge } from '../../../shared/alerts/StatusBadges.tsx'
import { eventText, formatAlertValue } from '../../../shared/alerts/wording.ts'
import { LinkButton } from '../../../ui/display/link/LinkButton.tsx'
import { Time } from '../../../ui/display/Time.tsx'
import { ErrorState } from '../../../ui/feedback/ErrorState.tsx'
import { Facts } from '../../../ui/page/Facts.tsx'
import { Section } from '../../../ui/page/Section.tsx'
import styles from '../alerts.module.css'
import { eventsOfQuery } from '../alerts.queries.ts'
import { useSentence } from '../useSentence.ts'

/** Condition, channels and latest events of an alert. */
export function AlertFacts({ alert }: { readonly alert: Alert }) {
  const { kind, state, webhook } = alert
  const sentence = useSentence()
  return (
    <>
      <Section title={t('alerts:drawer.condition')}>
        <p className={styles['sentence']}>{sentence(alert)}</p>
        <Facts
          facts={[
            {
              label: t('alerts:drawer.value'),
              value: state.reason ?? formatAlertValue(kind, state.value),
            },
            { label: t('alerts:drawer.evaluated'), value: <Time at={state.evaluated_at} /> },
            kindFacts[kind].hasMinRuns && {
              label: t('alerts:drawer.min_runs'),
              value: formatNumber(alert.min_runs),
            },
            { label: t('alerts:drawer.created'), value: <Time at={alert.created_at} /> },
            { label: t('alerts:drawer.by'), value: alert.created_by },
          ]}
        />
      </Section>
      <Section title={t('alerts:drawer.channels')}>
        <Facts
          facts={[
            { label: t('alerts:drawer.bell'), value: t('alerts:drawer.on') },
            {
              label: t('alerts:drawer.desktop'),
              value: t(alert.desktop ? 'alerts:drawer.on' : 'alerts:drawer.off'),
            },
            {
              label: t('alerts:drawer.webhook'),
              value: webhook === null ? t('alerts:drawer.none') : (webhook.url ?? webhook.origin),
              copy: webhook?.url,
            },
            webhook !== null && {
              label: t('alerts:drawer.secret'),
              value: webhook.problem ?? <Time at={webhook.secret_set_at} />,
            },
            webhook !== null &&
              webhook.previous_secret_until !== null && {
                label: t('alerts:drawer.previous'),
                value: <Time at={webhook.previous_secret_until} />,
              },
          ]}
        />
      </Section>
      <LatestEvents alert={alert} />
    </>
  )
}

function LatestEvents({ alert }: { readonly alert: Alert }) {
  const { data: events, error, refetch } = useQuery(eventsOfQuery(alert.id))
  return (
    <Section
      title={t('alerts:drawer.latest')}
      aside={
        <LinkButton
          variant="subtle"
          size="compact-xs"
          to="/alert-history/{-$id}"
          params={{ id: undefined }}
          search={{ alert: [alert.id] }}
        >
          {t('alerts:show_history')}
        </LinkButton>
      }
    >
      {events === undefined && error !== null && <ErrorState error={error} onRetry={() => void refetch()} />}
      {events?.length === 0 && <span className="dimmed">{t('alerts:drawer.no_events')}</span>}
      <ul className={styles['list']}>
        {events?.map((event) => (
          <li key={event.id} className={styles['event']}>
            <EventBadge type={event.type} />
            <Link to="/alert-history/{-$id}" params={{ id: event.id }} className={styles['link'] ?? ''}>
              {eventText(event)}
            </Link>
            <span className="dimmed">
              <Time at={event.created_at} />
            </span>
            {event.delivery !== null && <DeliveryBadge delivery={event.delivery} />}
          </li>
        ))}
      </ul>
    </Section>
  )
}
