import { useNavigate, useRouterState } from '@tanstack/react-router'
import { useEffect, useState } from 'react'

/**
 * Kinds of items whose form another page can open. The kind is named, because the page that is being left
 * also receives the new history state.
 */
export type CreatableKind = 'user' | 'workspace' | 'agent' | 'workflow'

declare module '@tanstack/history' {
  // biome-ignore lint/style/useConsistentTypeDefinitions: the router's state is typed by merging into this interface
  interface HistoryState {
    /** Asks the page to open its form for a new item. The page clears this once it has read it. */
    add?: CreatableKind | undefined
  }
}

/** Returns the open state of a page's form for a new item, and its setter. A link can open the form too. */
export function useCreateForm(
  what: CreatableKind,
  isOpenFirst: boolean,
): readonly [boolean, (isOpen: boolean) => void] {
  const navigate = useNavigate()
  const isRequested = useRouterState({ select: (state) => state.location.state.add === what })
  const [isOpen, setOpen] = useState(isOpenFirst)
  useEffect(() => {
    if (!isRequested) return
    setOpen(true)
    void navigate({
      to: '.',
      search: true,
      state: (before) => ({ ...before, add: undefined }),
      replace: true,
    })
  }, [isRequested, navigate])
  return [isOpen, setOpen]
}
