import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import type { Prompt } from '../../../contract/prompt.ts'
import { promptQuery, refreshPrompts } from './prompts.queries.ts'

/**
 * The prompt as a dialog shows it. What was looked at is what is released: the page's prompt moves on, the subject only
 * when the service says that it is not the newest any more.
 */
export function useSubject(prompt: Prompt) {
  const queries = useQueryClient()
  const [subject, setSubject] = useState(prompt)
  const renew = async (): Promise<void> => {
    setSubject(await queries.fetchQuery({ ...promptQuery(subject.id), staleTime: 0 }))
    await refreshPrompts(queries)
  }
  return { subject, renew }
}
