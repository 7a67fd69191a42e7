import type { ReactNode } from 'react'
import styles from './SmallTable.module.css'

type Props = {
  /** Accessible name of the table. */
  readonly label: string
  /** Accessible name of the scrollable frame; by default that of the table. */
  readonly frameLabel?: string
  /** True if the frame limits the height of the table, which then scrolls. */
  readonly isLimited?: boolean
  /** True for narrow cell padding, for tables with many columns. */
  readonly isDense?: boolean
  /** `thead` and `tbody`. Cells may have `data-number`, `data-tools` or `data-wraps`. */
  readonly children: ReactNode
}

/** Frame of a short table without paging, which scrolls inside the frame. */
export const SmallTable = ({ label, frameLabel = label, isLimited, isDense, children }: Props) => (
  // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable region must be focusable by keyboard
  <section className={styles['scroll']} data-limited={isLimited} aria-label={frameLabel} tabIndex={0}>
    <table className={styles['table']} data-dense={isDense} aria-label={label}>
      {children}
    </table>
  </section>
)
