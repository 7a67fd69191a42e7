import { type Dispatch, type SetStateAction, useState } from 'react'
import { draftName } from '../../lib/state/drafts.ts'
import { useDraft } from '../../lib/state/useDraft.ts'
import { combine, isSameDraft } from './drafts.ts'
import type { EditingKind, Versioned } from './kind.ts'

/**
 * A draft in progress and the saved state it is based on. Their comparison shows the changes of another user.
 */
type Stored<T, D> = { readonly base: T; readonly draft: D; readonly message: string }

/** The draft that a user writes, merged with what another user saves meanwhile. */
export type Writing<T, D> = Stored<T, D> & {
  /** The draft of `base`, without changes. */
  readonly saved: D
  readonly isDirty: boolean
  /** True if the draft was typed before the session ended and is restored. */
  readonly isRestored: boolean
  /** The current state, if another user saved it since editing began and it conflicts; else null. */
  readonly theirs: T | null
  readonly setDraft: (next: (before: D) => D) => void
  readonly setMessage: Dispatch<SetStateAction<string>>
  /** Continues from another saved state, with the draft that `next` returns for the current one. */
  readonly begin: (from: T, next: (before: D) => D) => void
}

export function useWriting<T extends Versioned, D extends object>(
  { noun, draftOf }: Pick<EditingKind<T, D>, 'noun' | 'draftOf'>,
  current: T,
): Writing<T, D> {
  const restored = useDraft(draftName(noun, current.id), (): Stored<T, D> | null =>
    isDirty ? { base, draft, message } : null,
  )
  const [base, setBase] = useState<T>(restored?.base ?? current)
  const [saved, setSaved] = useState<D>(() => draftOf(base))
  const [draft, setDraft] = useState<D>(restored?.draft ?? saved)
  const [message, setMessage] = useState(restored?.message ?? '')
  const isDirty = !isSameDraft(saved, draft)
  const isChangedElsewhere = current.etag !== base.etag && current.updated_at >= base.updated_at
  const combined = isChangedElsewhere ? combine(saved, draft, draftOf(current)) : null
  const begin: Writing<T, D>['begin'] = (from, next) => {
    setBase(from)
    setSaved(draftOf(from))
    // An equal draft keeps its identity, so that open and focused parts of the page do not change.
    setDraft((before) => {
      const after = next(before)
      return isSameDraft(before, after) ? before : after
    })
  }
  // Another user's changes do not conflict with the draft, or there is no draft: adopt them.
  if (combined !== null) begin(current, () => (isDirty ? combined : draftOf(current)))
  return {
    base,
    saved,
    draft,
    message,
    isDirty,
    isRestored: restored !== null && isDirty,
    theirs: isChangedElsewhere && combined === null ? current : null,
    setDraft,
    setMessage,
    begin,
  }
}
