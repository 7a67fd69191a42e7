import { sql } from 'kysely'
import { inScope } from '../../db/dialect/in-scope.ts'
import type { SavedViewsTable } from '../../db/schema/views.ts'
import type { Query } from '../../db/types.ts'
import type { Scope } from '../../lib/context.ts'
import { orders, type PagePlan, readPage, type Total, textKey } from '../../lib/paging.ts'
import { searchWords } from '../../lib/text/search.ts'
import { hasWordPrefix } from '../../lib/text/word-prefix.ts'
import { workspaceIdsOf } from '../../resources/workspaces.read.ts'

export const viewOrder = orders({ name: [textKey('name_folded'), textKey('id')] })
export const viewKeys = ({ name_folded, id }: SavedViewsTable) => [name_folded, id]

export type ViewFilters = {
  readonly page?: readonly string[] | undefined
  readonly workspace?: readonly string[] | undefined
  readonly q?: string | undefined
}

/** Lists the views of an owner, and those that are shared with a visible workspace. */
export async function listViews(
  q: Query,
  scope: Scope,
  owner: string,
  filters: ViewFilters,
  plan: PagePlan,
): Promise<{ rows: SavedViewsTable[]; total: Total }> {
  let matching = q
    .selectFrom('saved_views')
    .selectAll()
    .where((eb) =>
      eb.or([
        eb.and([eb('owner', '=', owner), eb('workspace_id', 'is', null)]),
        eb.and([eb('workspace_id', 'is not', null), inScope(scope, 'workspace_id')]),
      ]),
    )
  if (filters.page !== undefined) matching = matching.where('page', 'in', filters.page)
  if (filters.workspace !== undefined)
    matching = matching.where('workspace_id', 'in', workspaceIdsOf(q, filters.workspace))
  for (const word of searchWords(filters.q ?? ''))
    matching = matching.where(hasWordPrefix(sql.ref('name_folded'), word))
  return readPage(q, matching, plan)
}

export function findView(q: Query, id: string): Promise<SavedViewsTable | undefined> {
  return q.selectFrom('saved_views').selectAll().where('id', '=', id).executeTakeFirst()
}

export async function countViews(q: Query, owner: string): Promise<number> {
  const row = await q
    .selectFrom('saved_views')
    .select(q.fn.countAll<number>().as('count'))
    .where('owner', '=', owner)
    .executeTakeFirstOrThrow()
  return Number(row.count)
}

export async function insertView(q: Query, row: SavedViewsTable): Promise<void> {
  await q.insertInto('saved_views').values(row).execute()
}

export async function updateView(q: Query, row: SavedViewsTable): Promise<void> {
  await q.updateTable('saved_views').set(row).where('id', '=', row.id).execute()
}

export async function deleteView(q: Query, id: string): Promise<void> {
  await q.deleteFrom('saved_views').where('id', '=', id).execute()
}
