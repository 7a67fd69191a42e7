import type { ReactNode } from 'react'
import { Deferred } from '../feedback/Deferred.tsx'
import styles from './Page.module.css'

type Props = {
  readonly children: ReactNode
  /** True if the table takes the remaining height; otherwise the page scrolls as a whole. */
  readonly isFilled?: boolean
}

/** Layout of a page: header, filters and content. */
export function Page({ children, isFilled = false }: Props) {
  return (
    <div className={styles['page']} data-filled={isFilled || undefined}>
      <Deferred>{children}</Deferred>
    </div>
  )
}
