import { useEffect, useRef, useState } from 'react'
import type { Prompt } from '../../../contract/prompt.ts'
import { draftOf, forgetDraft, keepDraft } from '../../lib/drafts.ts'
import { useMe } from '../../lib/me.ts'
import { session } from '../../lib/session.ts'
import type { Draft } from './editing.ts'

/** Under which name what was typed is kept; without an id, the form that makes one. */
export const promptDraft = (id?: string): string => `prompt.${id ?? 'new'}`

/** A text as it was being written, and what it was begun from: the two tell what somebody else changed meanwhile. */
type Writing = { readonly base: Prompt; readonly draft: Draft }

/** What was being written when the session ended; null when nothing was. */
export function useKeptWriting(id: string): Writing | null {
  const { username } = useMe()
  const [kept] = useState(() => draftOf(promptDraft(id), username) as Writing | null)
  return kept
}

/** Keeps what is being written should the session end now, for whoever is writing it. */
export function useKeepWriting(id: string, writing: Writing | null): void {
  const { username } = useMe()
  const latest = useRef(writing)
  useEffect(() => {
    latest.current = writing
  })
  useEffect(() => {
    const name = promptDraft(id)
    forgetDraft(name)
    return () => {
      const { token, reason } = session.get()
      if (token === null && reason === 'expired' && latest.current !== null) {
        keepDraft(name, username, latest.current)
      }
    }
  }, [id, username])
}
