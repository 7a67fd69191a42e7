import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { t } from '../../../lib/i18n.ts'
import { asApiError, client } from '../../../lib/service/api.ts'
import { draftName } from '../../../lib/state/drafts.ts'
import { useDraft } from '../../../lib/state/useDraft.ts'
import { toast } from '../../../ui/feedback/toast.ts'
import { type Definition, definitionQuery, type Kind, refreshDefinitions } from '../definition.ts'

/** Editing of one kind: its draft, and the fields that are sent. Fields of a draft are compared as JSON. */
export type EditingOf<T extends Definition, D extends object> = {
  readonly kind: Kind
  readonly draftOf: (saved: T) => D
  /** Sends only changed fields, so that another user's change of another field is kept. */
  readonly update: (id: string, before: D, after: D, message: string, etag: string) => Promise<T>
}

export type DefinitionEditing<T extends Definition, D extends object> = {
  readonly draft: D
  readonly saved: D
  readonly change: (patch: Partial<D> | ((before: D) => Partial<D>)) => void
  readonly message: string
  readonly setMessage: (message: string) => void
  readonly isDirty: boolean
  /** True if the draft was typed before the session ended and is restored. */
  readonly isRestored: boolean
  /** The version another user saved since editing began, if it conflicts; else null. */
  readonly theirs: T | null
  /** The version because of which the service refused to save. A dialog asks which one to keep. */
  readonly conflict: T | null
  readonly isSaving: boolean
  readonly failure: unknown
  /** Resolves to true if the draft is stored. */
  readonly save: () => Promise<boolean>
  readonly discard: () => void
  readonly openConflict: () => void
  readonly closeConflict: () => void
  readonly takeTheirs: () => void
  readonly keepMine: () => Promise<boolean>
}

/**
 * Returns a value as JSON for comparison, without `uid`, which only identifies parts of a draft while it is
 * edited.
 */
const serialize = (value: unknown): string | undefined =>
  JSON.stringify(value, (key, inner: unknown) => (key === 'uid' ? undefined : inner))

/** Returns the names of the fields that differ. */
export const changedFields = <D extends object>(before: D, after: D): (keyof D & string)[] =>
  (Object.keys(after) as (keyof D & string)[]).filter(
    (field) => serialize(before[field]) !== serialize(after[field]),
  )

/** Returns their draft with the fields that I changed. */
const preferMine = <D extends object>(base: D, mine: D, theirs: D): D => ({
  ...theirs,
  ...Object.fromEntries(changedFields(base, mine).map((field) => [field, mine[field]])),
})

/**
 * Merges two drafts by field: mine where I changed it, theirs elsewhere. Null if both changed the same field
 * differently.
 */
function combine<D extends object>(base: D, mine: D, theirs: D): D | null {
  const others = changedFields(base, theirs)
  const isClash = changedFields(base, mine).some(
    (field) => others.includes(field) && changedFields(mine, theirs).includes(field),
  )
  return isClash ? null : preferMine(base, mine, theirs)
}

/**
 * A draft in progress and the version it began from. Comparing both shows what another user changed
 * meanwhile.
 */
type Writing<T, D> = { readonly base: T; readonly draft: D; readonly message: string }

/** Edits an agent or workflow: keeps the draft, saves it, and merges what another user saved meanwhile. */
export function useDefinitionEditing<T extends Definition, D extends object>(
  { kind, draftOf, update }: EditingOf<T, D>,
  current: T,
): DefinitionEditing<T, D> {
  const queries = useQueryClient()
  const restored = useDraft(draftName(kind, current.id), (): Writing<T, D> | null =>
    isDirty ? { base, draft, message } : null,
  )
  const [base, setBase] = useState<T>(restored?.base ?? current)
  const [saved, setSaved] = useState<D>(() => draftOf(base))
  const [draft, setDraft] = useState<D>(restored?.draft ?? saved)
  const [message, setMessage] = useState(restored?.message ?? '')
  const [conflict, setConflict] = useState<T | null>(null)
  const isDirty = changedFields(saved, draft).length > 0
  const hasNews = current.etag !== base.etag && current.updated_at >= base.updated_at
  const combined = hasNews ? combine(saved, draft, draftOf(current)) : null
  const begin = (from: T, next: D): void => {
    setBase(from)
    setSaved(draftOf(from))
    // An equal draft keeps its identity, so that open and focused parts of the page stay so.
    setDraft((before) => (changedFields(before, next).length === 0 ? before : next))
  }
  // Another user's changes do not conflict with the draft, or there is no draft: adopt them.
  if (combined !== null) begin(current, isDirty ? combined : draftOf(current))

  const applySaved = async (next: T): Promise<void> => {
    const { queryKey } = definitionQuery[kind](next.id)
    // A response from before the save must not replace its result.
    await queries.cancelQueries({ queryKey })
    queries.setQueryData(queryKey as readonly unknown[], next)
    begin(next, draftOf(next))
    setMessage('')
    setConflict(null)
    await refreshDefinitions(queries, kind)
    toast(t('definition:edit.saved', { key: next.key, version: next.version }))
  }
  const theirsOf = async (id: string): Promise<T> => {
    const endpoint = kind === 'agent' ? client.agents.get : client.workflows.get
    return (await endpoint({ params: { id } })).data as unknown as T
  }
  const saving = useMutation({
    mutationFn: async ({ from, wanted }: { from: T; wanted: D }): Promise<boolean> => {
      const { id, etag } = from
      try {
        await applySaved(await update(id, draftOf(from), wanted, message, etag))
        return true
      } catch (error) {
        if (asApiError(error)?.status !== 412) throw error
        const theirs = await theirsOf(id)
        const both = combine(draftOf(from), wanted, draftOf(theirs))
        if (both === null) {
          setConflict(theirs)
          return false
        }
        await applySaved(await update(id, draftOf(theirs), both, message, theirs.etag))
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
    isRestored: restored !== null && isDirty,
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
