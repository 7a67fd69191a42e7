import type { Variable } from '../../../contract/prompt.ts'
import type { Query } from '../../db/types.ts'
import { variablesOf } from './body.ts'
import { type At, findWhole, idAt } from './prompts.store.ts'
import { labelOf, servedOf } from './prompts.wire.ts'

export type ServedPrompt = {
  readonly id: string
  readonly version: string
  readonly content: string
  readonly variables: readonly Variable[]
}

/** What is served at a place; null when there is no such prompt, or it was never published. */
export async function findServed(q: Query, at: At): Promise<ServedPrompt | null> {
  const id = await idAt(q, at)
  const row = id === undefined ? undefined : await findWhole(q, id)
  const served = row && servedOf(row)
  if (row === undefined || !served) return null
  return {
    id: row.id,
    version: labelOf(row.version),
    content: served.content,
    variables: variablesOf(served),
  }
}
