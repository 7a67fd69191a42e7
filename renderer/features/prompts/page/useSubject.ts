import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import type { Prompt } from '../../../../contract/prompts/prompt.ts'
import { promptQuery } from '../../../shared/prompts/prompt.queries.ts'
import { refreshPrompts } from '../prompts.queries.ts'

/**
 * Returns the prompt that a release dialog displays. It does not follow updates of the page, so the displayed
 * state is what is released; `reload` loads the current state after the service reported a conflict.
 */
export function useSubject(prompt: Prompt) {
  const queries = useQueryClient()
  const [subject, setSubject] = useState(prompt)
  const reload = async (): Promise<void> => {
    setSubject(await queries.fetchQuery({ ...promptQuery(subject.id), staleTime: 0 }))
    await refreshPrompts(queries)
  }
  return { subject, reload }
}
