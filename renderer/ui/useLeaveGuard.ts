import { useBlocker } from '@tanstack/react-router'
import { t } from '../lib/i18n.ts'
import { confirm } from './confirm.tsx'

/** Asks whether what was typed may be lost. */
export const askToDiscard = (): Promise<boolean> =>
  confirm({
    title: t('common:form.leave_title'),
    body: t('common:form.leave'),
    action: t('common:form.discard'),
    isDangerous: true,
  })

/** Leaving the page with unsaved changes asks first; another address of the same page does not. */
export function useLeaveGuard(isDirty: boolean): void {
  useBlocker({
    shouldBlockFn: async ({ current, next }) =>
      isDirty && current.pathname !== next.pathname && !(await askToDiscard()),
    enableBeforeUnload: () => isDirty,
  })
}
