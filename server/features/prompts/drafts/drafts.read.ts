import { type Params, prepareQuery } from '../../../db/prepared.ts'
import type { Query } from '../../../db/types.ts'
import type { Actor } from '../../../lib/context.ts'

/** Maximum number of entries to read: far more than the usual number of changes between two versions. */
const maxEntries = 200

const newestEntries = prepareQuery((q, p: Params<{ id: string }>) =>
  q
    .selectFrom('audit')
    .select(['actor', 'actor_id', 'actor_kind', 'action', 'before', 'after', 'created_at'])
    .where('resource', '=', 'prompt')
    .where('resource_id', '=', p('id'))
    .orderBy('id', 'desc')
    .limit(maxEntries),
)

/** Actions that replace the draft: earlier changes are no longer pending. */
const replacingActions: ReadonlySet<string> = new Set(['publish', 'rollback'])
/** The versioned fields, and the digest that replaces a change too large for the audit log. */
const versionedFields = ['type', 'content', 'messages', 'model', 'params', 'variables', 'sha256']

/** Returns the latest change of the pending draft by another actor; null if there is none. */
export async function otherDraftAuthor(
  q: Query,
  id: string,
  actor: Pick<Actor, 'kind' | 'id'>,
): Promise<{ readonly by: string; readonly at: Date } | null> {
  for (const entry of await newestEntries(q, { id })) {
    if (replacingActions.has(entry.action)) return null
    const before = fieldsOf(entry.before)
    const after = fieldsOf(entry.after)
    const beginsDraft = before['has_draft'] === false || entry.action === 'create'
    const isPublished = entry.action === 'create' && after['version'] !== null
    const changesDraft = !isPublished && versionedFields.some((name) => Object.hasOwn(after, name))
    const isByActor = entry.actor_kind === actor.kind && entry.actor_id === actor.id
    if (changesDraft && !isByActor) return { by: entry.actor, at: new Date(entry.created_at) }
    if (beginsDraft) return null
  }
  return null
}

function fieldsOf(json: string | null): Readonly<Record<string, unknown>> {
  const fields: unknown = json === null ? null : JSON.parse(json)
  return typeof fields === 'object' && fields !== null ? (fields as Record<string, unknown>) : {}
}
