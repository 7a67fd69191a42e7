import { IconInbox } from '@tabler/icons-react'
import type { ReactNode } from 'react'
import styles from './State.module.css'

type Props = {
  readonly title: string
  /** The reason, and the way to add content. */
  readonly text?: ReactNode
  readonly icon?: ReactNode
  /** The next step. */
  readonly action?: ReactNode
}

export function EmptyState({ title, text, icon, action }: Props) {
  return (
    <div className={styles['state']} data-testid="empty">
      <div className={styles['icon']}>{icon ?? <IconInbox size={28} stroke={1.5} />}</div>
      <div className={styles['title']}>{title}</div>
      {text !== undefined && <div className={styles['text']}>{text}</div>}
      {action !== undefined && <div className={styles['actions']}>{action}</div>}
    </div>
  )
}
