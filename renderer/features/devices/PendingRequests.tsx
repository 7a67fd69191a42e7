import { useQuery } from '@tanstack/react-query'
import { t } from '../../lib/i18n.ts'
import { requestsQuery } from '../../shared/pairing/pairing.queries.ts'
import { RequestCard } from '../../shared/pairing/RequestCard.tsx'
import styles from './devices.module.css'

/** The devices that wait for an answer; nothing if there is none. */
export function PendingRequests() {
  const requests = useQuery(requestsQuery).data ?? []
  const pending = requests.filter(({ status }) => status === 'pending')
  if (pending.length === 0) return null
  return (
    <section className={styles['requests']} aria-label={t('pairing:requests')}>
      <h2>{t('pairing:requests')}</h2>
      {pending.map((request) => (
        <RequestCard key={request.id} request={request} />
      ))}
    </section>
  )
}
