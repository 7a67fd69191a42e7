import type { Convergence } from '../../../../contract/prompts/prompt-rollout.ts'
import { formatDuration } from '../../../lib/format/format.ts'
import { t } from '../../../lib/i18n.ts'
import styles from './convergence.module.css'

/** With fewer clients, the strip adds nothing to the figures. */
const minClients = 2

/** A dot per client for the time from publish to acknowledgement, with the median as a line. */
export function LatencyStrip({ rollout }: { readonly rollout: Convergence }) {
  const { median_ms: median, slowest_ms: slowest } = rollout
  const latencies = rollout.clients.flatMap(({ id, app, latency_ms: ms, current }) =>
    ms === null || !current ? [] : [{ id, app, ms }],
  )
  if (latencies.length < minClients || slowest === null || median === null) return null
  const positionOf = (ms: number): string => `${slowest === 0 ? 0 : (100 * ms) / slowest}%`
  return (
    <figure className={styles['strip']}>
      <div
        className={styles['dots']}
        role="img"
        aria-label={t('prompt:convergence.strip', {
          count: latencies.length,
          median: formatDuration(median),
          slowest: formatDuration(slowest),
        })}
      >
        <span className={styles['median']} style={{ left: positionOf(median) }} />
        {latencies.map(({ id, app, ms }) => (
          <span
            key={id}
            className={styles['tick']}
            style={{ left: positionOf(ms) }}
            title={`${app} · ${formatDuration(ms)}`}
          />
        ))}
      </div>
      <figcaption className={styles['scale']}>
        <span>{t('prompt:convergence.start')}</span>
        <span>{formatDuration(slowest)}</span>
      </figcaption>
    </figure>
  )
}
