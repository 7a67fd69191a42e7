import type { ReactNode } from 'react'
import styles from './FigureList.module.css'

/** A figure by its label. Labels are unique in their list. */
export type LabelledFigure = readonly [label: string, value: ReactNode]

/** The figures of a page in a box, side by side. */
export function FigureList({ figures }: { readonly figures: readonly LabelledFigure[] }) {
  return (
    <dl className={styles['figures']}>
      {figures.map(([label, value]) => (
        <div key={label}>
          <dt>{label}</dt>
          <dd className="tabular">{value}</dd>
        </div>
      ))}
    </dl>
  )
}
