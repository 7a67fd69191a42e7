import { IconLock } from '@tabler/icons-react'
import { t, tNode } from '../../lib/i18n.ts'
import styles from './settings.module.css'

/** A note that an environment variable of the service determines the setting. */
export function Fixed({ variable }: { readonly variable: string }) {
  return (
    <p className={styles['fixed']}>
      <IconLock size={14} />
      <span>{tNode('settings:fixed', { name: <span className="mono">{variable}</span> })}</span>
    </p>
  )
}

export const fixedText = (variable: string): string => t('settings:fixed', { name: variable })
