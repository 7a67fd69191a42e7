import { IconAlertTriangle, IconInfoCircle } from '@tabler/icons-react'
import type { ReactNode } from 'react'
import styles from './Banner.module.css'

type Props = {
  readonly tone: 'warn' | 'quiet'
  readonly action?: ReactNode
  readonly children: ReactNode
}

/** Line across the top of the page for a message that concerns every page. */
export function Banner({ tone, action, children }: Props) {
  const Icon = tone === 'warn' ? IconAlertTriangle : IconInfoCircle
  return (
    <div className={styles['banner']} data-tone={tone} role="status">
      <Icon size={16} />
      <span className={styles['text']}>{children}</span>
      {action}
    </div>
  )
}
