import { Button, CloseButton, Portal } from '@mantine/core'
import { t } from '../../lib/i18n.ts'
import { useStore } from '../../lib/state/store.ts'
import styles from './Toasts.module.css'
import { dismiss, toasts } from './toast.ts'

/** The success messages, which screen readers announce politely. Rendered once, in the providers. */
export function Toasts() {
  const shown = useStore(toasts)
  return (
    <Portal>
      <div className={styles['corner']}>
        <div className={styles['log']} role="log" aria-label={t('common:toasts')}>
          {shown.map(({ id, text, action }) => (
            <div key={id} className={styles['toast']} data-testid="toast">
              <span className={styles['text']} title={text}>
                {text}
              </span>
              {action !== undefined && (
                <Button
                  variant="subtle"
                  size="compact-xs"
                  onClick={() => {
                    dismiss(id)
                    action.run()
                  }}
                >
                  {action.label}
                </Button>
              )}
              <CloseButton size="sm" aria-label={t('common:close')} onClick={() => dismiss(id)} />
            </div>
          ))}
        </div>
      </div>
    </Portal>
  )
}
