import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'
import { meQuery, useMe, useRealMe } from '../session/me.ts'
import { session } from '../session/session.ts'
import { deleteDraft, dialogDraft, draftOf, hasTypedValues, storeDraft } from './drafts.ts'

/**
 * Returns, once, the values typed under this name before the session or the role was lost. If either unmounts
 * the form, it stores the values that `unsaved` returns. Without a name it does nothing.
 */
export function useDraft<V extends Readonly<Record<string, unknown>>>(
  name: string | undefined,
  unsaved: () => V | null,
): V | null {
  const { username } = useMe()
  const { role } = useRealMe()
  const queries = useQueryClient()
  const [restored] = useState(() => (name === undefined ? null : (draftOf(name, username) as V | null)))
  const latest = useRef({ unsaved, role })
  useEffect(() => {
    latest.current = { unsaved, role }
  })
  useEffect(() => {
    if (name === undefined) return
    deleteDraft(name)
    return () => {
      const { token, reason } = session.get()
      // The effect above does not run when a new role unmounts the form.
      const hasNewRole = queries.getQueryData(meQuery.queryKey)?.role !== latest.current.role
      const isKept = token === null ? reason === 'expired' : hasNewRole
      const values = isKept ? latest.current.unsaved() : null
      if (values !== null) storeDraft(name, username, values)
    }
  }, [name, username, queries])
  return restored
}

/**
 * State of an open dialog, null while it is closed. It survives an expired session if something was typed.
 */
export function useDialogState<T>(name: string, initial: T | null = null) {
  const { username } = useMe()
  const restored = useDraft(dialogDraft(name), (): { readonly open: T } | null =>
    open === null ? null : { open },
  )
  const [open, setOpen] = useState<T | null>(() =>
    restored !== null && hasTypedValues(username) ? restored.open : initial,
  )
  return [open, setOpen] as const
}
