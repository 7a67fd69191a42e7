import { useBlocker } from '@tanstack/react-router'
import { createContext, use, useEffect, useRef } from 'react'
import { t } from '../../lib/i18n.ts'
import { confirm, useIsConfirmOpen } from './confirm.tsx'

/** Asks whether unsaved changes may be discarded. */
const askToDiscard = (): Promise<boolean> =>
  confirm({
    title: t('common:form.leave_title'),
    body: t('common:form.leave'),
    action: t('common:form.discard'),
    isDangerous: true,
  })

/** Counts the places of a page with unsaved changes: receives 1 for a new one, and -1 when it has none. */
export const UnsavedContext = createContext<(change: 1 | -1) => void>(() => undefined)

function useUnsaved(isDirty: boolean): void {
  const count = use(UnsavedContext)
  useEffect(() => {
    if (!isDirty) return
    count(1)
    return () => count(-1)
  }, [count, isDirty])
}

/**
 * Asks before the user leaves the page with unsaved changes. Another address of the same page does not ask.
 */
export function useLeaveGuard(isDirty: boolean): void {
  useUnsaved(isDirty)
  useBlocker({
    shouldBlockFn: async ({ current, next }) =>
      isDirty && current.pathname !== next.pathname && !(await askToDiscard()),
    enableBeforeUnload: () => isDirty,
  })
}

/**
 * Returns props for a dialog, which asks before it is closed, or its page is left, with typed text. It stays open
 * while its request is in progress, because it shows the result.
 */
export function useDialogGuard(isDirty: () => boolean, isSending: boolean, onClose: () => void) {
  const isConfirmOpen = useIsConfirmOpen()
  useUnsaved(isDirty())
  /** True once the dialog closes: navigation by `onClose` does not ask again. */
  const isClosing = useRef(false)
  const mayLeave = async (): Promise<boolean> => isClosing.current || !isDirty() || askToDiscard()
  useBlocker({
    // The request itself may open a page, such as that of the new item.
    shouldBlockFn: async ({ action }) =>
      isSending && action !== 'PUSH' && action !== 'REPLACE' ? true : !(await mayLeave()),
    enableBeforeUnload: () => isSending || isDirty(),
  })
  const close = async (before?: () => void): Promise<void> => {
    if (isSending || !(await mayLeave())) return
    isClosing.current = true
    before?.()
    onClose()
  }
  return {
    /** `before` runs if the dialog closes. */
    onClose: (before?: () => void) => void close(before),
    closeOnClickOutside: !isDirty(),
    closeOnEscape: !isConfirmOpen,
  }
}
