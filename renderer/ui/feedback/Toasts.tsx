import { Button, CloseButton, Portal } from '@mantine/core'
import { lazy, Suspense } from 'react'
import { t } from '../../lib/i18n.ts'
import { useStore } from '../../lib/state/store.ts'
import styles from './Toasts.module.css'
import { dismiss, exportCount, toasts } from './toast.ts'

const ExportTray = lazy(() =>
  import('../export/ExportTray.tsx').then((module) => ({ default: module.ExportTray })),
)

/** The progress of exports. Its code loads with the first export. */
function Exports() {
  if (useStore(exportCount) === 0) return null
  return (
    <Suspense>
      <ExportTray />
    </Suspense>
  )
}

/**
 * Corner with the success messages, which screen readers announce politely. Rendered once, in the providers.
 */
export function Toasts() {
  const shown = useStore(toasts)
  return (
    <Portal>
      <div className={styles['corner']}>
        <Exports />
        <div className={styles['log']} role="log" aria-label={t('common:toasts')}>
          {shown.map(({ id, text, undo }) => (
            <div key={id} className={styles['toast']} data-testid="toast">
              <span className={styles['text']}>{text}</span>
              {undo !== undefined && (
                <Button
                  variant="subtle"
                  size="compact-xs"
                  onClick={() => {
                    dismiss(id)
                    undo.run()
                  }}
                >
                  {undo.label}
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
