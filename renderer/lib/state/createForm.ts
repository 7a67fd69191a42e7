import { useNavigate, useRouterState } from '@tanstack/react-router'
import { useEffect } from 'react'
import type { AuditResource } from '../../../contract/system/audit.ts'
import { useDialogState } from './useDraft.ts'

declare module '@tanstack/history' {
  // biome-ignore lint/style/useConsistentTypeDefinitions: the router's state is typed by merging into this interface
  interface HistoryState {
    /**
     * Asks a page to open its form for a new item of this kind. The page clears this once it has read it.
     * Names the kind, because the page being left also sees the new history state.
     */
    add?: AuditResource | undefined
  }
}

/** Returns the open state of a page's form for a new item, and its setter. A link can open the form too. */
export function useCreateForm(kind: AuditResource): readonly [boolean, (isOpen: boolean) => void] {
  const navigate = useNavigate()
  const isRequested = useRouterState({ select: (state) => state.location.state.add === kind })
  const [isOpen, setOpen] = useDialogState<true>(`${kind}.create`)
  useEffect(() => {
    if (!isRequested) return
    setOpen(true)
    void navigate({
      to: '.',
      search: true,
      state: (before) => ({ ...before, add: undefined }),
      replace: true,
    })
  }, [isRequested, navigate, setOpen])
  return [isOpen === true, (isNowOpen) => setOpen(isNowOpen || null)]
}
