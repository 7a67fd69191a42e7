import type { ReactNode } from 'react'
import styles from './Section.module.css'

type Props = {
  readonly title: string
  /** Shown at the right of the title. */
  readonly aside?: ReactNode
  readonly children: ReactNode
}

/** A titled part of a drawer or page. */
export function Section({ title, aside, children }: Props) {
  return (
    <section className={styles['section']}>
      <div className={styles['head']}>
        <h2 className={styles['title']}>{title}</h2>
        {aside}
      </div>
      {children}
    </section>
  )
}
