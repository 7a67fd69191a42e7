import type { Backup } from '../../../../contract/system/backups.ts'
import { t } from '../../../lib/i18n.ts'
import { CodeBlock } from '../../../ui/display/CodeBlock.tsx'
import { CopyButton } from '../../../ui/display/link/CopyButton.tsx'
import styles from '../settings.module.css'
import { fileOf } from './BackupTable.tsx'

/** Instructions for restoring a backup from a shell while the service is stopped. */
export function RestoreSteps({ newest }: { readonly newest: Backup | undefined }) {
  const command = `npm run restore -- ${newest === undefined ? '<file>' : fileOf(newest)}`
  return (
    <details className={styles['details']}>
      <summary>{t('settings:backups.restore')}</summary>
      <ol className={styles['steps']}>
        <li>{t('settings:backups.restore_1')}</li>
        <li>
          {t('settings:backups.restore_2')}
          <div className={styles['command']}>
            <div className={styles['commandText']}>
              <CodeBlock text={command} label={t('settings:backups.command')} />
            </div>
            <CopyButton value={command} label={t('settings:backups.copy_command')} />
          </div>
        </li>
        <li>{t('settings:backups.restore_3')}</li>
      </ol>
      <p className={styles['note']}>{t('settings:backups.restore_effect')}</p>
    </details>
  )
}
