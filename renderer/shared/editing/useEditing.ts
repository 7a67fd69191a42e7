import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useRef, useState } from 'react'
import { asApiError } from '../../lib/service/api.ts'
import { toast } from '../../ui/feedback/toast.ts'
import { combine, isSameDraft, type MergedDrafts, mergeDrafts, preferMine } from './drafts.ts'
import type { EditingKind, Versioned } from './kind.ts'
import { useWriting, type Writing } from './useWriting.ts'

export type Editing<T, D extends object> = Pick<
  Writing<T, D>,
  'draft' | 'saved' | 'message' | 'setMessage' | 'isDirty' | 'isRestored' | 'theirs'
> & {
  readonly change: (patch: Partial<D> | ((before: D) => Partial<D>)) => void
  /** The conflicting state, if the service rejected a save. A dialog asks which draft to keep. */
  readonly conflict: T | null
  /** My draft merged with the conflicting state; null without a conflict. */
  readonly merged: MergedDrafts<D> | null
  /** The state that is merged by hand. It is displayed beside the draft until the draft is saved. */
  readonly merging: T | null
  readonly isSaving: boolean
  readonly failure: unknown
  /** Resolves to true if the draft is stored. */
  readonly save: () => Promise<boolean>
  readonly discard: () => void
  readonly openConflict: () => void
  readonly closeConflict: () => void
  readonly takeTheirs: () => void
  readonly keepMine: () => Promise<boolean>
  readonly mergeByHand: () => void
}

/** Edits a resource: keeps the draft, saves it, and merges what another user saved meanwhile. */
export function useEditing<T extends Versioned, D extends object>(
  kind: EditingKind<T, D>,
  current: T,
): Editing<T, D> {
  const { draftOf, queryKeyOf } = kind
  const queries = useQueryClient()
  const writing = useWriting(kind, current)
  const { base, saved, draft, begin, setDraft } = writing
  const [conflict, setConflict] = useState<T | null>(null)
  const [merging, setMerging] = useState<T | null>(null)
  const saving = useSaving(kind, writing, {
    onSaved: () => {
      setMerging(null)
      setConflict(null)
    },
    onConflict: setConflict,
  })
  const resolve = (theirs: T, next: D): void => {
    queries.setQueryData(queryKeyOf(theirs.id), theirs)
    begin(theirs, () => next)
    setConflict(null)
    setMerging(null)
    saving.reset()
  }
  const mineOver = (theirs: T): D => preferMine(saved, draft, draftOf(theirs))
  const mergedWith = (theirs: T): MergedDrafts<D> => mergeDrafts(saved, draft, draftOf(theirs))

  return {
    ...writing,
    change: (patch) =>
      setDraft((before) => ({ ...before, ...(typeof patch === 'function' ? patch(before) : patch) })),
    conflict,
    merged: conflict && mergedWith(conflict),
    merging,
    isSaving: saving.isPending,
    failure: saving.error,
    save: () => (writing.isDirty ? saving.run(base, draft) : Promise.resolve(true)),
    discard: () => {
      begin(current, () => draftOf(current))
      writing.setMessage('')
      setMerging(null)
      saving.reset()
    },
    openConflict: () => setConflict(current),
    closeConflict: () => setConflict(null),
    takeTheirs: () => conflict !== null && resolve(conflict, draftOf(conflict)),
    keepMine: () => (conflict === null ? Promise.resolve(false) : saving.run(conflict, mineOver(conflict))),
    mergeByHand: () => {
      if (conflict === null) return
      resolve(conflict, mergedWith(conflict).draft)
      setMerging(conflict)
    },
  }
}

/** A draft with the saved state it is based on. */
type Edit<T, D> = { readonly from: T; readonly next: D }
type Handlers<T> = { readonly onSaved: () => void; readonly onConflict: (theirs: T) => void }

/**
 * Saves a draft. Changes of other users that do not conflict are merged, and the save is repeated.
 * Text typed meanwhile stays.
 */
function useSaving<T extends Versioned, D extends object>(
  kind: EditingKind<T, D>,
  { draft, begin, message, setMessage }: Writing<T, D>,
  { onSaved, onConflict }: Handlers<T>,
) {
  const { draftOf, update } = kind
  const queries = useQueryClient()
  const running = useRef<{ readonly draft: D; readonly result: Promise<boolean> } | null>(null)
  const applySaved = async (next: T): Promise<boolean> => {
    const queryKey = kind.queryKeyOf(next.id)
    // A response from before the save must not replace its result.
    await queries.cancelQueries({ queryKey })
    queries.setQueryData(queryKey, next)
    begin(next, (typed) => mergeDrafts(draft, typed, draftOf(next)).draft)
    setMessage((typed) => (typed === message ? '' : typed))
    onSaved()
    await kind.refresh(queries, next)
    toast(kind.savedText(next))
    return true
  }
  /** Merges the edit with `current` and saves the result. If another user was first, repeats with their state. */
  const saveOver = async (current: T, edit: Edit<T, D>): Promise<boolean> => {
    const { id, etag } = current
    const before = draftOf(current)
    const merged = combine(draftOf(edit.from), edit.next, before)
    if (merged === null) {
      onConflict(current)
      return false
    }
    try {
      return await applySaved(await update(id, before, merged, message, etag))
    } catch (failure) {
      if (asApiError(failure)?.status !== 412) throw failure
      const theirs = await kind.fetch(id)
      if (theirs.etag === etag) throw failure
      return saveOver(theirs, edit)
    }
  }
  const { mutateAsync, isPending, error, reset } = useMutation({
    mutationFn: (edit: Edit<T, D>) => saveOver(edit.from, edit),
  })
  const run = (from: T, next: D): Promise<boolean> => {
    if (running.current !== null)
      return isSameDraft(running.current.draft, draft) ? running.current.result : Promise.resolve(false)
    const result = mutateAsync({ from, next })
      .catch(() => false)
      .finally(() => {
        running.current = null
      })
    running.current = { draft, result }
    return result
  }
  return { run, isPending, error, reset }
}
