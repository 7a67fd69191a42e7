import type { Convergence } from '../../../../contract/prompts/prompt-rollout.ts'
import { formatNumber } from '../../../lib/format/format.ts'
import { t, tNode } from '../../../lib/i18n.ts'
import { Time } from '../../../ui/display/Time.tsx'
import styles from './convergence.module.css'

const maxNamed = 8

/** A list of clients that do not run the served version yet, and since when. */
export function OutdatedClients({ rollout }: { readonly rollout: Convergence }) {
  const outdated = rollout.clients.filter((client) => !client.current)
  const listed = outdated.slice(0, maxNamed)
  return (
    <ul className={styles['outdated']} aria-label={t('prompt:convergence.outdated')}>
      {listed.map((client) => (
        <li key={client.id}>
          <span className={styles['late']} aria-hidden="true" />
          <b>
            <bdi>{client.app}</bdi>
          </b>
          <bdi className="mono dimmed">{client.instance_id ?? client.remote_addr}</bdi>
          <span className="dimmed">
            {client.version === null
              ? t('prompt:convergence.never_acked')
              : tNode('prompt:convergence.still_on', {
                  version: <span className="mono">{client.version}</span>,
                })}
            {', '}
            {tNode('prompt:convergence.since', { span: <Time at={client.behind_since} as="span" /> })}
          </span>
        </li>
      ))}
      {rollout.behind > listed.length && (
        <li className="dimmed">
          {t('prompt:convergence.more', { count: formatNumber(rollout.behind - listed.length) })}
        </li>
      )}
    </ul>
  )
}
