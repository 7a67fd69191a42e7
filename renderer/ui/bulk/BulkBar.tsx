import { CloseButton } from '@mantine/core'
import type { ReactNode } from 'react'
import { t } from '../../lib/i18n.ts'
import { useKeys } from '../../lib/page/keys.ts'
import styles from './BulkBar.module.css'

type Props = { readonly count: number; readonly onClear: () => void; readonly children: ReactNode }

/** Bar with the actions for the selected rows. It covers the end of the list, so that no row moves. */
export function BulkBar({ count, onClear, children }: Props) {
  useKeys([{ keys: 'Escape', label: t('common:select.clear'), run: onClear }])
  return (
    <section className={styles['bar']} aria-label={t('common:select.bar')} data-testid="bulk">
      <span className={styles['count']} role="status">
        {t('common:select.count', { count })}
      </span>
      {children}
      <CloseButton size="sm" aria-label={t('common:select.clear')} onClick={onClear} />
    </section>
  )
}
