import { Modal, type ModalProps } from '@mantine/core'
import { useFocusBack } from '../lib/focus.ts'
import { t } from '../lib/i18n.ts'

/** With the dialog itself: keys that are pressed before a timer would do it are already meant for the field. */
const focusFirst = (dialog: HTMLElement | null): void =>
  dialog?.querySelector<HTMLElement>('[data-autofocus]')?.focus({ preventScroll: true })

/** A modal dialog. Mount it to open, unmount it to close: the focus goes back to where it came from. */
export function Dialog(props: Omit<ModalProps, 'opened'>) {
  useFocusBack()
  return <Modal opened ref={focusFirst} closeButtonProps={{ 'aria-label': t('common:close') }} {...props} />
}
