import type { Convergence } from '../../../../contract/prompts/prompt-rollout.ts'
import { formatNumber } from '../../../lib/format/format.ts'
import { t, tNode } from '../../../lib/i18n.ts'
import { Time } from '../../../ui/display/Time.tsx'
import styles from './convergence.module.css'

const maxNamed = 8

/** A list of clients that do not run the served version yet, with the time since when. */
export function OutdatedClients({ rollout }: { readonly rollout: Convergence }) {
  const outdated = rollout.clients.filter((one) => !one.current)
  const named = outdated.slice(0, maxNamed)
  return (
    <ul className={styles['outdated']} aria-label={t('prompt:convergence.outdated')}>
      {named.map((one) => (
        <li key={one.id}>
          <span className={styles['late']} aria-hidden="true" />
          <b>
            <bdi>{one.app}</bdi>
          </b>
          <bdi className="mono dimmed">{one.instance_id ?? one.remote_addr}</bdi>
          <span className="dimmed">
            {one.version === null
              ? t('prompt:convergence.never_acked')
              : tNode('prompt:convergence.still_on', {
                  version: <span className="mono">{one.version}</span>,
                })}
            {', '}
            {tNode('prompt:convergence.since', { span: <Time at={one.behind_since} as="span" /> })}
          </span>
        </li>
      ))}
      {rollout.behind > named.length && (
        <li className="dimmed">
          {t('prompt:convergence.more', { count: formatNumber(rollout.behind - named.length) })}
        </li>
      )}
    </ul>
  )
}
