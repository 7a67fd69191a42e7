import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import type { Prompt } from '../../../contract/prompt.ts'
import { asApiError, client } from '../../lib/api.ts'
import { draftName } from '../../lib/drafts.ts'
import { t } from '../../lib/i18n.ts'
import { useDraft } from '../../lib/useDraft.ts'
import { toast } from '../../ui/toast.ts'
import { combine, type Draft, draftOf, isSame, patchOf, preferMine } from './editing.ts'
import { promptQuery } from './prompts.queries.ts'

export type Editing = {
  readonly draft: Draft
  readonly change: (patch: Partial<Draft>) => void
  readonly isDirty: boolean
  /** It was written before the session ended, and is here again. */
  readonly isRestored: boolean
  /** Somebody else saved something else since these changes were begun. */
  readonly theirs: Prompt | null
  /** What the service would not take the changes over; a dialog asks what to do. */
  readonly conflict: Prompt | null
  /** What is being merged by hand: shown beside the text until it is saved. */
  readonly merging: Prompt | null
  readonly isSaving: boolean
  readonly failure: unknown
  /** Resolves to whether the draft is stored now. */
  readonly save: () => Promise<boolean>
  readonly discard: () => void
  readonly openConflict: () => void
  readonly closeConflict: () => void
  readonly takeTheirs: () => void
  readonly keepMine: () => Promise<boolean>
  readonly mergeByHand: () => void
}

/** A text as it was being written, and what it was begun from: the two tell what somebody else changed meanwhile. */
type Writing = { readonly base: Prompt; readonly draft: Draft }

/** The text as it is being written, what it was begun from, and how both come together again. */
export function useEditing(prompt: Prompt): Editing {
  const queries = useQueryClient()
  const kept = useDraft(draftName('prompt', prompt.id), (): Writing | null =>
    isDirty ? { base, draft } : null,
  )
  const [base, setBase] = useState<Prompt>(kept?.base ?? prompt)
  const [draft, setDraft] = useState<Draft>(() => kept?.draft ?? draftOf(prompt))
  const [conflict, setConflict] = useState<Prompt | null>(null)
  const [merging, setMerging] = useState<Prompt | null>(null)
  const baseDraft = draftOf(base)
  const isDirty = !isSame(baseDraft, draft)
  const combined = prompt.etag === base.etag ? null : combine(baseDraft, draft, draftOf(prompt))
  // Others saved something else, or nothing was written here: both simply hold. A publish changes no text at all.
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
  const adopt = async (saved: Prompt): Promise<void> => {
    const { queryKey } = promptQuery(saved.id)
    // An answer from before the save must not come after it.
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
        await adopt(await store(from, wanted))
        return true
      } catch (error) {
        if (asApiError(error)?.status !== 412) throw error
        const theirs = (await client.prompts.get({ params: { id: from.id } })).data
        const both = combine(draftOf(from), wanted, draftOf(theirs))
        if (both === null) {
          setConflict(theirs)
          return false
        }
        await adopt(await store(theirs, both))
        return true
      }
    },
  })
  const run = (from: Prompt, wanted: Draft): Promise<boolean> =>
    saving.mutateAsync({ from, wanted }).catch(() => false)
  /** What stands once their state is the ground and mine is on top of it. */
  const mine = (theirs: Prompt): Draft => preferMine(baseDraft, draft, draftOf(theirs))
  const settleOn = (theirs: Prompt, next: Draft): void => {
    queries.setQueryData(promptQuery(theirs.id).queryKey, theirs)
    setBase(theirs)
    setDraft(next)
    setConflict(null)
  }

  return {
    draft,
    change: (patch) => setDraft((before) => ({ ...before, ...patch })),
    isDirty,
    isRestored: kept !== null && isDirty,
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
    takeTheirs: () => conflict !== null && settleOn(conflict, draftOf(conflict)),
    keepMine: () => (conflict === null ? Promise.resolve(false) : run(conflict, mine(conflict))),
    mergeByHand: () => {
      if (conflict === null) return
      settleOn(conflict, mine(conflict))
      setMerging(conflict)
    },
  }
}
