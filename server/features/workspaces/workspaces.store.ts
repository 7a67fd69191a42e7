import { sql } from 'kysely'
import { environments } from '../../../contract/common/environments.ts'
import { defaultTimeZone } from '../../../contract/gateway/budgets.ts'
import { type FormerWorkspace, maxDeleted, type Workspace } from '../../../contract/system/workspaces.ts'
import { withoutIndex } from '../../db/dialect/expressions.ts'
import { inScope } from '../../db/dialect/in-scope.ts'
import type { WorkspacesTable } from '../../db/schema/workspaces.ts'
import type { Query } from '../../db/types.ts'
import type { Scope } from '../../lib/context.ts'
import { numberKey, orders, type PagePlan, readPage, type Total, textKey } from '../../lib/paging.ts'
import { searchWords } from '../../lib/text/search.ts'
import { hasWordPrefix } from '../../lib/text/word-prefix.ts'
import { budgetOf } from '../../resources/budgets/budget-text.ts'

export type WorkspaceRow = WorkspacesTable
export type Counts = Pick<Workspace, 'prompt_count' | 'agent_count' | 'workflow_count'>

export const workspaceOrder = orders({
  name: [textKey('name_folded'), textKey('id')],
  created_at: [numberKey('created_at'), textKey('id')],
})

export function workspaceKeys(sort: string): (row: WorkspaceRow) => (string | number)[] {
  return sort.endsWith('name') ? (row) => [row.name_folded, row.id] : (row) => [row.created_at, row.id]
}

export async function listWorkspaces(
  q: Query,
  scope: Scope,
  text: string | undefined,
  plan: PagePlan,
): Promise<{ rows: WorkspaceRow[]; total: Total }> {
  let matching = q.selectFrom('workspaces').selectAll().where(inScope(scope, 'id'))
  for (const word of searchWords(text ?? '')) {
    matching = matching.where(hasWordPrefix(sql`name_folded || ' ' || slug`, word))
  }
  return readPage(q, matching, plan)
}

/** Lists deleted workspaces as their audit entries describe them, newest first. */
export async function listDeleted(q: Query): Promise<FormerWorkspace[]> {
  const rows = await q
    .selectFrom('audit')
    .select(['resource_id', 'key', 'before', 'created_at'])
    // `+`: the index of the resource finds few entries, that of the action many.
    .where(withoutIndex('action'), '=', 'delete')
    .where('resource', '=', 'workspace')
    .orderBy('id', 'desc')
    .limit(maxDeleted)
    .execute()
  return rows.flatMap(({ resource_id: id, key, before, created_at: at }) => {
    if (id === null || before === null) return []
    const { name, slug }: Partial<Workspace> = JSON.parse(before)
    return {
      id,
      name: name ?? key ?? id,
      slug: slug ?? key ?? id,
      deleted_at: new Date(at).toISOString(),
    }
  })
}

export async function insertWorkspace(q: Query, row: WorkspaceRow): Promise<void> {
  await q.insertInto('workspaces').values(row).execute()
  await assignSlug(q, row.slug, row.id)
}

/** Assigns a slug to this workspace, even if another one had it before. */
async function assignSlug(q: Query, slug: string, workspaceId: string): Promise<void> {
  await q
    .insertInto('workspace_slugs')
    .values({ slug, workspace_id: workspaceId })
    .onConflict((conflict) => conflict.column('slug').doUpdateSet({ workspace_id: workspaceId }))
    .execute()
}

export async function updateWorkspace(
  q: Query,
  id: string,
  changes: Partial<Omit<WorkspaceRow, 'id'>>,
): Promise<void> {
  await q.updateTable('workspaces').set(changes).where('id', '=', id).execute()
  if (changes.slug !== undefined) await assignSlug(q, changes.slug, id)
}

/** Deletes a workspace. Its slugs remain reserved. */
export async function deleteWorkspace(q: Query, id: string): Promise<void> {
  await q.deleteFrom('workspaces').where('id', '=', id).execute()
}

export function toWire(row: WorkspaceRow, counts: Counts): Workspace {
  return {
    id: row.id,
    name: row.name,
    slug: row.slug,
    description: row.description,
    protected_envs: environments.filter((env) => row.protected_envs.split(',').includes(env)),
    capture: row.capture,
    time_zone: row.time_zone ?? defaultTimeZone,
    budget: budgetOf(row.budget),
    ...counts,
    created_at: new Date(row.created_at).toISOString(),
    updated_at: new Date(row.updated_at).toISOString(),
  }
}
