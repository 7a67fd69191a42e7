import type { ReactNode } from 'react'
import styles from './outcome.module.css'

type Props = {
  readonly figures: readonly (readonly [label: string, value: ReactNode])[]
  /** True for as many per line as fit, instead of three. */
  readonly isWide?: boolean
}

/** Figures of a run, such as its duration and cost. */
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
