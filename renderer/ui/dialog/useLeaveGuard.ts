import { useBlocker } from '@tanstack/react-router'
import { createContext, use, useEffect } from 'react'
import { t } from '../../lib/i18n.ts'
import { confirm } from './confirm.tsx'

/** Asks whether unsaved changes may be discarded. */
export const askToDiscard = (): Promise<boolean> =>
  confirm({
    title: t('common:form.leave_title'),
    body: t('common:form.leave'),
    action: t('common:form.discard'),
    isDangerous: true,
  })

/** Receives whether the page has unsaved changes. */
export const UnsavedContext = createContext<(isUnsaved: boolean) => void>(() => undefined)

/**
 * Asks before the user leaves the page with unsaved changes. Another address of the same page does not ask.
 */
export function useLeaveGuard(isDirty: boolean): void {
  const setUnsaved = use(UnsavedContext)
  useEffect(() => setUnsaved(isDirty), [setUnsaved, isDirty])
  useBlocker({
    shouldBlockFn: async ({ current, next }) =>
      isDirty && current.pathname !== next.pathname && !(await askToDiscard()),
    enableBeforeUnload: () => isDirty,
  })
}
