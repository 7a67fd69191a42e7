import type { ReactNode } from 'react'
import { Later } from './Later.tsx'
import styles from './Page.module.css'

type Props = {
  readonly children: ReactNode
  /** A page whose table takes the rest of the height; otherwise the page scrolls as a whole. */
  readonly isFilled?: boolean
}

/** The room a page has: header, filters, content, 16 px apart. */
export function Page({ children, isFilled = false }: Props) {
  return (
    <div className={styles['page']} data-filled={isFilled || undefined}>
      <Later>{children}</Later>
    </div>
  )
}
