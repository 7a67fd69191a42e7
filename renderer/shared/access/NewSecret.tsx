import { Button } from '@mantine/core'
import { t, tNode } from '../../lib/i18n.ts'
import { Dialog } from '../../ui/dialog/Dialog.tsx'
import { CopyButton } from '../../ui/display/link/CopyButton.tsx'
import { PasswordInput } from '../../ui/input/PasswordInput.tsx'
import styles from './NewSecret.module.css'

type Props = {
  readonly title: string
  /** The label of the field. */
  readonly label: string
  readonly secret: string
  /** A note shown below the secret. */
  readonly note?: string | null
  readonly onClose: () => void
}

/**
 * A dialog with a new token, which cannot be displayed again. It closes only when the user confirms having
 * copied it.
 */
export function NewSecret({ title, label, secret, note = null, onClose }: Props) {
  return (
    <Dialog
      onClose={onClose}
      title={title}
      size={520}
      closeOnClickOutside={false}
      closeOnEscape={false}
      withCloseButton={false}
    >
      <div className={styles['body']}>
        <p className={styles['note']}>{t('common:secret.copy')}</p>
        <div className={styles['secret']}>
          <PasswordInput
            className={styles['field'] ?? ''}
            classNames={{ innerInput: 'mono' }}
            label={label}
            value={secret}
            readOnly
            autoComplete="off"
            data-autofocus
          />
          <CopyButton value={secret} label={t('common:copy')} />
        </div>
        <p className={styles['note']}>
          {tNode('common:secret.use', { name: <span className="mono">PROMPTDECK_TOKEN</span> })}
        </p>
        {note !== null && <p className={styles['note']}>{note}</p>}
        <div className={styles['buttons']}>
          <Button onClick={onClose}>{t('common:secret.done')}</Button>
        </div>
      </div>
    </Dialog>
  )
}
