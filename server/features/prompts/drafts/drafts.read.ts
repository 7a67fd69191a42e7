import { type Params, prepareQuery } from '../../../db/prepared.ts'
import type { Query } from '../../../db/types.ts'
import type { Actor } from '../../../lib/context.ts'

/** Far more than the usual number of changes between two versions. */
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
const replacing: ReadonlySet<string> = new Set(['publish', 'rollback'])
/** The versioned fields, and the digest that replaces a change too large for the audit log. */
const versioned = ['content', 'model', 'variables', 'sha256']

/** Returns who else changed the pending draft, and when; null if all its changes are this actor's. */
export async function otherDraftAuthor(
  q: Query,
  id: string,
  actor: Pick<Actor, 'kind' | 'id'>,
): Promise<{ readonly by: string; readonly at: Date } | null> {
  for (const entry of await newestEntries(q, { id })) {
    if (replacing.has(entry.action)) return null
    const before = fieldsOf(entry.before)
    const after = fieldsOf(entry.after)
    const isBegin = before['has_draft'] === false || entry.action === 'create'
    const isPublished = entry.action === 'create' && after['version'] !== null
    const touchesDraft = !isPublished && versioned.some((name) => Object.hasOwn(after, name))
    const isOwn = entry.actor_kind === actor.kind && entry.actor_id === actor.id
    if (touchesDraft && !isOwn) return { by: entry.actor, at: new Date(entry.created_at) }
    if (isBegin) return null
  }
  return null
}

function fieldsOf(side: string | null): Readonly<Record<string, unknown>> {
  const fields: unknown = side === null ? null : JSON.parse(side)
  return typeof fields === 'object' && fields !== null ? (fields as Record<string, unknown>) : {}
}
