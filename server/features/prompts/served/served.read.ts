import type { Environment } from '../../../../contract/common/environments.ts'
import type { Variable } from '../../../../contract/prompts/prompt.ts'
import type { PromptMessages } from '../../../../contract/prompts/prompt-chat.ts'
import type { PromptParams } from '../../../../contract/prompts/prompt-params.ts'
import { readByIds } from '../../../db/dialect/read-by-ids.ts'
import type { Query } from '../../../db/types.ts'
import { labelOf } from '../../../resources/versions.ts'
import { messagesOf, paramsOf, variablesOf } from '../state/body.ts'
import { findWhole, idAt, type PromptPlace } from '../state/prompts.store.ts'
import { servedOf } from '../state/prompts.wire.ts'
import { resolve } from '../state/resolve.ts'

export type ServedPrompt = {
  readonly id: string
  readonly version: string
  readonly model: string | null
  readonly content: string
  readonly messages: PromptMessages | null
  readonly params: PromptParams
  readonly variables: readonly Variable[]
}

/** Returns the served prompt of a key; null if the prompt does not exist or was never published. */
export async function findServed(q: Query, place: PromptPlace): Promise<ServedPrompt | null> {
  const id = await idAt(q, place)
  const row = id === undefined ? undefined : await findWhole(q, id)
  const body = row && servedOf(row)
  if (row === undefined || !body) return null
  const { body: served } = await resolve(q, place, body)
  return {
    id: row.id,
    version: labelOf(row.version),
    model: served.model,
    content: served.content,
    messages: messagesOf(served),
    params: paramsOf(served),
    variables: variablesOf(served),
  }
}

/**
 * Returns the served version by key, in a workspace given by its slug. Keys that are not served are absent.
 */
export async function servedVersionsOf(
  q: Query,
  place: { readonly workspace: string; readonly env: Environment; readonly keys: readonly string[] },
): Promise<ReadonlyMap<string, string>> {
  const rows = await readByIds(place.keys, (chunk) =>
    q
      .selectFrom('prompts as p')
      .innerJoin('workspaces as w', 'w.id', 'p.workspace_id')
      .select(['p.key', 'p.version'])
      .where('w.slug', '=', place.workspace)
      .where('p.env', '=', place.env)
      .where('p.key', 'in', chunk)
      .where('p.version', '>', 0)
      .where('p.deleted_at', 'is', null)
      .execute(),
  )
  return new Map(rows.map(({ key, version }) => [key, labelOf(version)]))
}
