import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import type { Prompt } from '../../../../contract/prompt.ts'
import { t } from '../../../lib/i18n.ts'
import { asApiError, client } from '../../../lib/service/api.ts'
import { draftName } from '../../../lib/state/drafts.ts'
import { useDraft } from '../../../lib/state/useDraft.ts'
import { toast } from '../../../ui/feedback/toast.ts'
import { promptQuery } from '../prompts.queries.ts'
import { combine, type Draft, draftOf, isSame, patchOf, preferMine } from './editing.ts'

export type Editing = {
  readonly draft: Draft
  readonly change: (patch: Partial<Draft>) => void
  readonly isDirty: boolean
  /** True if the draft was restored after a session had expired. */
  readonly isRestored: boolean
  /** The other user's version, if it conflicts with the unsaved changes; null otherwise. */
  readonly theirs: Prompt | null
  /** The version that the open conflict dialog displays; null if it is closed. */
  readonly conflict: Prompt | null
  /** The version being merged by hand, displayed beside the text until the draft is saved. */
  readonly merging: Prompt | null
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

/** An unsaved draft and the prompt it is based on; both are needed to merge later changes by others. */
type Writing = { readonly base: Prompt; readonly draft: Draft }

/** Returns the state and the operations of editing a prompt, including merges with changes by others. */
export function useEditing(prompt: Prompt): Editing {
  const queries = useQueryClient()
  const restored = useDraft(draftName('prompt', prompt.id), (): Writing | null =>
    isDirty ? { base, draft } : null,
  )
  const [base, setBase] = useState<Prompt>(restored?.base ?? prompt)
  const [draft, setDraft] = useState<Draft>(() => restored?.draft ?? draftOf(prompt))
  const [conflict, setConflict] = useState<Prompt | null>(null)
  const [merging, setMerging] = useState<Prompt | null>(null)
  const baseDraft = draftOf(base)
  const isDirty = !isSame(baseDraft, draft)
  const combined = prompt.etag === base.etag ? null : combine(baseDraft, draft, draftOf(prompt))
  // The changes do not conflict, or there are none: continue with the merged draft. A publish changes no
  // text.
  if (combined !== null) {
    setBase(prompt)
    if (!isSame(combined, draft)) setDraft(combined)
  }

  const store = async (from: Prompt, wanted: Draft): Promise<Prompt> => {
    const { data } = await client.prompts.update(
      { params: { id: from.id }, body: patchOf(draftOf(from), wanted) },
      { headers: { 'if-match': from.etag } },
    )
    return data
  }
  const applySaved = async (saved: Prompt): Promise<void> => {
    const { queryKey } = promptQuery(saved.id)
    // A reply to a request sent before the save must not overwrite the saved prompt.
    await queries.cancelQueries({ queryKey })
    queries.setQueryData(queryKey, saved)
    setBase(saved)
    setDraft(draftOf(saved))
    setMerging(null)
    setConflict(null)
    await Promise.all(
      [['prompt', 'list'], ['prompt', 'facets'], ['prompt', 'diff', saved.id], ['audit']].map((key) =>
        queries.invalidateQueries({ queryKey: key }),
      ),
    )
    toast(t('prompt:edit.saved', { key: saved.key }))
  }
  const saving = useMutation({
    mutationFn: async ({ from, wanted }: { from: Prompt; wanted: Draft }): Promise<boolean> => {
      try {
        await applySaved(await store(from, wanted))
        return true
      } catch (error) {
        if (asApiError(error)?.status !== 412) throw error
        const theirs = (await client.prompts.get({ params: { id: from.id } })).data
        const both = combine(draftOf(from), wanted, draftOf(theirs))
        if (both === null) {
          setConflict(theirs)
          return false
        }
        await applySaved(await store(theirs, both))
        return true
      }
    },
  })
  const run = (from: Prompt, wanted: Draft): Promise<boolean> =>
    saving.mutateAsync({ from, wanted }).catch(() => false)
  /** Returns the other user's draft with my changes applied to it. */
  const mine = (theirs: Prompt): Draft => preferMine(baseDraft, draft, draftOf(theirs))
  const resolveConflict = (theirs: Prompt, next: Draft): void => {
    queries.setQueryData(promptQuery(theirs.id).queryKey, theirs)
    setBase(theirs)
    setDraft(next)
    setConflict(null)
  }

  return {
    draft,
    change: (patch) => setDraft((before) => ({ ...before, ...patch })),
    isDirty,
    isRestored: restored !== null && isDirty,
    theirs: prompt.etag !== base.etag && combined === null ? prompt : null,
    conflict,
    merging,
    isSaving: saving.isPending,
    failure: saving.error,
    save: () => (isDirty ? run(base, draft) : Promise.resolve(true)),
    discard: () => {
      setDraft(draftOf(prompt))
      setBase(prompt)
      setMerging(null)
      saving.reset()
    },
    openConflict: () => setConflict(prompt),
    closeConflict: () => setConflict(null),
    takeTheirs: () => conflict !== null && resolveConflict(conflict, draftOf(conflict)),
    keepMine: () => (conflict === null ? Promise.resolve(false) : run(conflict, mine(conflict))),
    mergeByHand: () => {
      if (conflict === null) return
      resolveConflict(conflict, mine(conflict))
      setMerging(conflict)
    },
  }
}
