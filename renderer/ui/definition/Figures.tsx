import type { ReactNode } from 'react'
import styles from './outcome.module.css'

type Props = {
  readonly figures: readonly (readonly [label: string, value: ReactNode])[]
  /** Beside each other as far as there is room, in place of three to a line. */
  readonly isWide?: boolean
}

/** What a run took. */
export const Figures = ({ figures, isWide = false }: Props) => (
  <dl className={styles['strip']} data-wide={isWide || undefined}>
    {figures.map(([label, value]) => (
      <div key={label} className={styles['figure']}>
        <dt>{label}</dt>
        <dd>{value}</dd>
      </div>
    ))}
  </dl>
)
