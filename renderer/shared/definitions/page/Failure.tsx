import type { ReactNode } from 'react'
import styles from './outcome.module.css'

/** Reasons why a run failed, one per line. */
export const Failure = ({ children }: { readonly children: ReactNode }) => (
  <div className={styles['failure']} role="alert">
    {children}
  </div>
)
