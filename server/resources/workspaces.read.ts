import { type Params, prepareQuery } from '../db/prepared.ts'
import type { WorkspaceSlugsTable, WorkspacesTable } from '../db/schema/workspaces.ts'
import type { Query } from '../db/types.ts'

const byName = prepareQuery((q, p: Params<{ id: string; slug: string }>) =>
  q
    .selectFrom('workspaces')
    .selectAll()
    .where((eb) =>
      eb.or([
        eb('id', '=', p('id')),
        eb('slug', '=', p('slug')),
        eb('id', '=', eb.selectFrom('workspace_slugs').select('workspace_id').where('slug', '=', p('slug'))),
      ]),
    ),
)
const byId = prepareQuery((q, p: Params<{ id: string }>) =>
  q.selectFrom('workspaces').selectAll().where('id', '=', p('id')),
)

/**
 * Returns the workspace with this id, slug or former slug. An id takes precedence; slugs cannot have the form
 * of an id.
 */
export async function findWorkspace(q: Query, idOrSlug: string): Promise<WorkspacesTable | undefined> {
  const rows = await byName(q, { id: idOrSlug, slug: idOrSlug })
  const named = rows.find((row) => row.id === idOrSlug) ?? rows.find((row) => row.slug === idOrSlug)
  return named ?? rows[0]
}

export async function findWorkspaceById(q: Query, id: string): Promise<WorkspacesTable | undefined> {
  return (await byId(q, { id }))[0]
}

/**
 * Returns a query for the ids of all workspaces with these ids, slugs or former slugs, for an `in` condition.
 */
export const workspaceIdsOf = (q: Query, given: readonly string[]) =>
  q
    .selectFrom('workspaces')
    .select('id')
    .where((eb) =>
      eb.or([
        eb('id', 'in', given),
        eb('slug', 'in', given),
        eb('id', 'in', eb.selectFrom('workspace_slugs').select('workspace_id').where('slug', 'in', given)),
      ]),
    )

const holder = prepareQuery((q, p: Params<{ slug: string }>) =>
  q.selectFrom('workspace_slugs').selectAll().where('slug', '=', p('slug')),
)

/** Returns the workspace that has or had a slug, or undefined. That workspace may be deleted. */
export async function findSlug(q: Query, slug: string): Promise<WorkspaceSlugsTable | undefined> {
  return (await holder(q, { slug }))[0]
}
