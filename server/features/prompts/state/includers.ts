import type { Query } from '../../../db/types.ts'
import { fail, invalid } from '../../../lib/fail.ts'
import { findVersion } from './bodies.store.ts'
import { dependentsOf, includersOf } from './includes.store.ts'
import type { PromptPlace, WholeRow } from './prompts.store.ts'
import { messageOf, resolve } from './resolve.ts'

/** Throws 409 if what is served includes the prompt, because its text would be missing there. `reason`: a sentence. */
export async function requireNotIncluded(
  q: Query,
  { workspace_id: workspaceId, key, env, id }: Pick<WholeRow, 'workspace_id' | 'key' | 'env' | 'id'>,
  reason = '',
): Promise<void> {
  const includers = (await includersOf(q, { workspaceId, key, env })).filter((includer) => includer.id !== id)
  const [first, ...others] = new Set(includers.map((includer) => includer.key))
  if (first === undefined) return
  const more = others.length === 0 ? '' : ` and ${others.length} more`
  throw fail('prompt.included', {
    detail: `${key} in ${env} is included by ${first}${more}.${reason} Publish these without it first.`,
  })
}

/**
 * Throws 422 if a prompt that includes this one can no longer be resolved with what is served here now: because
 * it became a chat, or because the includes became too deep or too large. `path` names the invalid field.
 */
export async function requireIncludersResolvable(q: Query, place: PromptPlace, path: string): Promise<void> {
  for (const { id, key, version } of await dependentsOf(q, place)) {
    const body = await findVersion(q, id, version)
    const { faults } = body === undefined ? { faults: [] } : await resolve(q, { ...place, key }, body)
    // A missing include has another cause: what is served here exists.
    const fault = faults.find(({ include, reason }) =>
      reason === 'chat' ? include.key === place.key : reason !== 'missing',
    )
    if (fault !== undefined)
      throw invalid(
        path,
        `${key} includes this prompt and could not be served: ${messageOf(fault, place.env)}`,
      )
  }
}
