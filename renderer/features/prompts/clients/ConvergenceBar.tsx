import type { Convergence } from '../../../../contract/prompts/prompt-rollout.ts'
import { t } from '../../../lib/i18n.ts'
import styles from './convergence.module.css'

/** With more clients, a cell per client would be too narrow to see. */
const maxCells = 80

/** A progress bar of clients on the served version: one cell per client, or one bar for many clients. */
export function ConvergenceBar({ rollout }: { readonly rollout: Convergence }) {
  const { total, current } = rollout
  const cells = total <= maxCells ? total : 1
  return (
    <div
      className={styles['bar']}
      role="progressbar"
      aria-label={t('prompt:convergence.title')}
      aria-valuemin={0}
      aria-valuemax={total}
      aria-valuenow={current}
      aria-valuetext={t('prompt:convergence.bar', { current, total })}
      data-testid="convergence-bar"
    >
      {cells === 1 && total > 1 ? (
        <span className={styles['fill']} style={{ width: `${(100 * current) / total}%` }} />
      ) : (
        Array.from({ length: cells }, (_, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: cells are positions, not clients
          <span key={index} className={styles['cell']} data-current={index < current || undefined} />
        ))
      )}
    </div>
  )
}
