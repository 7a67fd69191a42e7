import { useNavigate, useRouterState } from '@tanstack/react-router'
import { useEffect, useState } from 'react'

/** What can be asked for from elsewhere. Named, for the page before hears of the new address first. */
export type Addable = 'user' | 'workspace' | 'agent' | 'workflow'

declare module '@tanstack/history' {
  // biome-ignore lint/style/useConsistentTypeDefinitions: the router's state is typed by merging into this interface
  interface HistoryState {
    /** The page is asked to open its form for something new; it forgets that once it has. */
    add?: Addable | undefined
  }
}

/** Whether a page's form for something new is open: from the page itself, or because a link asked for it. */
export function useAdding(
  what: Addable,
  isOpenFirst: boolean,
): readonly [boolean, (isOpen: boolean) => void] {
  const navigate = useNavigate()
  const isAsked = useRouterState({ select: (state) => state.location.state.add === what })
  const [isOpen, setOpen] = useState(isOpenFirst)
  useEffect(() => {
    if (!isAsked) return
    setOpen(true)
    void navigate({
      to: '.',
      search: true as never,
      state: (before) => ({ ...before, add: undefined }),
      replace: true,
    })
  }, [isAsked, navigate])
  return [isOpen, setOpen]
}
