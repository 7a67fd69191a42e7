import { Text, Title } from '@mantine/core'
import { type ReactNode, useEffect } from 'react'
import { formatDateTime, formatTotal, zoneName } from '../../lib/format/format.ts'
import { useNow } from '../../lib/format/now.ts'
import { t } from '../../lib/i18n.ts'
import styles from './PageHeader.module.css'

type Props = {
  readonly title: string
  /** Number of items; omitted while unknown. */
  readonly count?: { readonly total: number; readonly isCapped?: boolean } | undefined
  /** Purpose of the page, in one line. */
  readonly purpose?: ReactNode
  /** Buttons at the right: secondary ones, then the primary one. */
  readonly actions?: ReactNode
}

/** Time of printing and the time zone of all times. Displayed only in print. */
function PrintedAt() {
  const time = formatDateTime(new Date(useNow()))
  return <div className="note print-only">{t('common:printed_at', { time, zone: zoneName() })}</div>
}

export function PageHeader({ title, count, purpose, actions }: Props) {
  useEffect(() => {
    document.title = t('common:page_title', { page: title })
  }, [title])
  return (
    <header className={styles['header']}>
      <div className={styles['text']}>
        <div className={styles['line']}>
          <Title order={1}>{title}</Title>
          {count !== undefined && (
            <span className={styles['count']} data-testid="page-count">
              {formatTotal(count.total, count.isCapped)}
            </span>
          )}
        </div>
        {purpose !== undefined && (
          <Text component="div" size="sm" c="dimmed" className={styles['purpose'] ?? ''}>
            {purpose}
          </Text>
        )}
        <PrintedAt />
      </div>
      {actions !== undefined && <div className={styles['actions']}>{actions}</div>}
    </header>
  )
}
