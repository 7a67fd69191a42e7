import { t, tNode } from '../../lib/i18n.ts'
import { CopyButton } from '../../ui/display/link/CopyButton.tsx'
import styles from './ConnectExamples.module.css'
import { tokenVariable } from './snippets/snippets.ts'

/** The command that sets the token, for programs that do not contain it. */
export function TokenSetting() {
  return (
    <div className={styles['note']}>
      {tNode('connect:token', { name: <span className="mono">{tokenVariable}</span> })}{' '}
      <code className="mono">{`export ${tokenVariable}=…`}</code>{' '}
      <CopyButton value={`export ${tokenVariable}=`} label={t('connect:token_copy')} />{' '}
      {t('connect:token_where')}
    </div>
  )
}
