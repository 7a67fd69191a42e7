import { type NavigateOptions, useRouter, type ValidateNavigateOptions } from '@tanstack/react-router'
import { useCallback } from 'react'

/** Returns a function that goes to a page, or opens it in a new tab as Ctrl and click do on a link. */
export function useOpenPage() {
  const router = useRouter()
  return useCallback(
    <const O>(page: ValidateNavigateOptions<typeof router, O>, isNewTab: boolean): void => {
      if (!isNewTab) void router.navigate(page as NavigateOptions)
      else window.open(router.buildLocation(page as NavigateOptions).publicHref, '_blank', 'noopener')
    },
    [router],
  )
}

/** True for a click or key press that opens a link in a new tab. */
export const opensNewTab = ({ ctrlKey, metaKey }: Pick<MouseEvent, 'ctrlKey' | 'metaKey'>): boolean =>
  ctrlKey || metaKey
