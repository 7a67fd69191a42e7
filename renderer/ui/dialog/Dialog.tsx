import { Modal, type ModalProps } from '@mantine/core'
import { t } from '../../lib/i18n.ts'
import { useRestoredFocus } from '../../lib/page/focus.ts'

/**
 * Focuses the first field when the dialog mounts. Mantine does so after a timer, and keys pressed before it
 * would be lost.
 */
const focusFirst = (dialog: HTMLElement | null): void =>
  dialog?.querySelector<HTMLElement>('[data-autofocus]')?.focus({ preventScroll: true })

/** A modal dialog. Mount it to open, unmount it to close. The focus returns to where it was. */
export function Dialog(props: Omit<ModalProps, 'opened'>) {
  useRestoredFocus()
  return <Modal opened ref={focusFirst} closeButtonProps={{ 'aria-label': t('common:close') }} {...props} />
}
