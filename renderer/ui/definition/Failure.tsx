import type { ReactNode } from 'react'
import styles from './outcome.module.css'

/** Why a run came to nothing, line by line. */
export const Failure = ({ children }: { readonly children: ReactNode }) => (
  <div className={styles['failure']} role="alert">
    {children}
  </div>
)
