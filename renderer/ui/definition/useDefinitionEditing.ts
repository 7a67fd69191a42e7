import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { asApiError, client } from '../../lib/api.ts'
import { draftName } from '../../lib/drafts.ts'
import { t } from '../../lib/i18n.ts'
import { useDraft } from '../../lib/useDraft.ts'
import { toast } from '../toast.ts'
import { type Definition, definitionQuery, type Kind, refreshDefinitions } from './definition.ts'

/** How a kind is edited: its draft, and what of a draft is sent. Fields of a draft are compared as JSON. */
export type EditingOf<T extends Definition, D extends object> = {
  readonly kind: Kind
  readonly draftOf: (saved: T) => D
  /** Only what was changed, so that what somebody else changed meanwhile in another field stays. */
  readonly update: (id: string, before: D, after: D, message: string, etag: string) => Promise<T>
}

export type DefinitionEditing<T extends Definition, D extends object> = {
  readonly draft: D
  readonly saved: D
  readonly change: (patch: Partial<D> | ((before: D) => Partial<D>)) => void
  readonly message: string
  readonly setMessage: (message: string) => void
  readonly isDirty: boolean
  /** It was written before the session ended, and is here again. */
  readonly isRestored: boolean
  /** Somebody else saved something else since these changes were begun. */
  readonly theirs: T | null
  /** What the service would not take the changes over; a dialog asks what to do. */
  readonly conflict: T | null
  readonly isSaving: boolean
  readonly failure: unknown
  /** Resolves to whether the draft is stored now. */
  readonly save: () => Promise<boolean>
  readonly discard: () => void
  readonly openConflict: () => void
  readonly closeConflict: () => void
  readonly takeTheirs: () => void
  readonly keepMine: () => Promise<boolean>
}

/** `uid` tells the parts of a draft apart while they are edited; it says nothing about them. */
const said = (value: unknown): string | undefined =>
  JSON.stringify(value, (key, inner: unknown) => (key === 'uid' ? undefined : inner))

export const changedFields = <D extends object>(before: D, after: D): (keyof D & string)[] =>
  (Object.keys(after) as (keyof D & string)[]).filter((field) => said(before[field]) !== said(after[field]))

const preferMine = <D extends object>(base: D, mine: D, theirs: D): D => ({
  ...theirs,
  ...Object.fromEntries(changedFields(base, mine).map((field) => [field, mine[field]])),
})

/** Mine where I changed something, theirs everywhere else; null when both changed the same field. */
function combine<D extends object>(base: D, mine: D, theirs: D): D | null {
  const others = changedFields(base, theirs)
  const isClash = changedFields(base, mine).some(
    (field) => others.includes(field) && changedFields(mine, theirs).includes(field),
  )
  return isClash ? null : preferMine(base, mine, theirs)
}

/** A draft as it was being written, and what it was begun from: the two tell what somebody else changed meanwhile. */
type Writing<T, D> = { readonly base: T; readonly draft: D; readonly message: string }

/** What is being written, what it was begun from, and how both come together again. */
export function useDefinitionEditing<T extends Definition, D extends object>(
  { kind, draftOf, update }: EditingOf<T, D>,
  current: T,
): DefinitionEditing<T, D> {
  const queries = useQueryClient()
  const kept = useDraft(draftName(kind, current.id), (): Writing<T, D> | null =>
    isDirty ? { base, draft, message } : null,
  )
  const [base, setBase] = useState<T>(kept?.base ?? current)
  const [saved, setSaved] = useState<D>(() => draftOf(base))
  const [draft, setDraft] = useState<D>(kept?.draft ?? saved)
  const [message, setMessage] = useState(kept?.message ?? '')
  const [conflict, setConflict] = useState<T | null>(null)
  const isDirty = changedFields(saved, draft).length > 0
  const hasNews = current.etag !== base.etag && current.updated_at >= base.updated_at
  const combined = hasNews ? combine(saved, draft, draftOf(current)) : null
  const begin = (from: T, next: D): void => {
    setBase(from)
    setSaved(draftOf(from))
    // The same draft stays the very same, so that what is open and focused on the page stays so.
    setDraft((before) => (changedFields(before, next).length === 0 ? before : next))
  }
  // Others saved something else, or nothing was written here: both simply hold.
  if (combined !== null) begin(current, isDirty ? combined : draftOf(current))

  const adopt = async (next: T): Promise<void> => {
    const { queryKey } = definitionQuery[kind](next.id)
    // An answer from before the save must not come after it.
    await queries.cancelQueries({ queryKey })
    queries.setQueryData(queryKey as readonly unknown[], next)
    begin(next, draftOf(next))
    setMessage('')
    setConflict(null)
    await refreshDefinitions(queries, kind)
    toast(t('definition:edit.saved', { key: next.key, version: next.version }))
  }
  const theirsOf = async (id: string): Promise<T> => {
    const got = kind === 'agent' ? client.agents.get : client.workflows.get
    return (await got({ params: { id } })).data as unknown as T
  }
  const saving = useMutation({
    mutationFn: async ({ from, wanted }: { from: T; wanted: D }): Promise<boolean> => {
      const { id, etag } = from
      try {
        await adopt(await update(id, draftOf(from), wanted, message, etag))
        return true
      } catch (error) {
        if (asApiError(error)?.status !== 412) throw error
        const theirs = await theirsOf(id)
        const both = combine(draftOf(from), wanted, draftOf(theirs))
        if (both === null) {
          setConflict(theirs)
          return false
        }
        await adopt(await update(id, draftOf(theirs), both, message, theirs.etag))
        return true
      }
    },
  })
  const run = (from: T, wanted: D): Promise<boolean> =>
    saving.mutateAsync({ from, wanted }).catch(() => false)

  return {
    draft,
    saved,
    change: (patch) =>
      setDraft((before) => ({ ...before, ...(typeof patch === 'function' ? patch(before) : patch) })),
    message,
    setMessage,
    isDirty,
    isRestored: kept !== null && isDirty,
    theirs: hasNews && combined === null ? current : null,
    conflict,
    isSaving: saving.isPending,
    failure: saving.error,
    save: () => (isDirty ? run(base, draft) : Promise.resolve(true)),
    discard: () => {
      begin(current, draftOf(current))
      setMessage('')
      saving.reset()
    },
    openConflict: () => setConflict(current),
    closeConflict: () => setConflict(null),
    takeTheirs: () => {
      if (conflict === null) return
      queries.setQueryData(definitionQuery[kind](conflict.id).queryKey as readonly unknown[], conflict)
      begin(conflict, draftOf(conflict))
      setConflict(null)
      saving.reset()
    },
    keepMine: () =>
      conflict === null ? Promise.resolve(false) : run(conflict, preferMine(saved, draft, draftOf(conflict))),
  }
}
