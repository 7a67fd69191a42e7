import { Time } from '../../../ui/display/Time.tsx'
import styles from './list.module.css'

/** Class for text that is cut at the width of its column. */
export const truncated = `truncate ${styles['truncated']}`

export const ChangedBy = ({ at, by }: { readonly at: string; readonly by: string }) => (
  <span className={styles['user']}>
    <Time at={at} />
    <bdi className="truncate dimmed">{by}</bdi>
  </span>
)
