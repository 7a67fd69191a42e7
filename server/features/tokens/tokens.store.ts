import { sql } from 'kysely'
import type { ApiTokenRow } from '../../auth/tokens/api-tokens.store.ts'
import type { Query } from '../../db/types.ts'
import { numberKey, orders, type PagePlan, readPage, type Total, textKey } from '../../lib/paging.ts'
import { fold, searchWords } from '../../lib/text/search.ts'
import { hasWordPrefix } from '../../lib/text/word-prefix.ts'

export const tokenOrder = orders({
  created_at: [numberKey('created_at'), textKey('id')],
  name: [textKey('name_folded'), textKey('id')],
})

export const tokenKeys = (sort: string): ((row: ApiTokenRow) => (string | number)[]) =>
  sort.endsWith('name') ? (row) => [row.name_folded, row.id] : (row) => [row.created_at, row.id]

export type TokenFilters = {
  readonly q?: string | undefined
  readonly binding?: ApiTokenRow['binding'] | undefined
  readonly owner?: readonly string[] | undefined
}

export async function listTokens(
  q: Query,
  filters: TokenFilters,
  plan: PagePlan,
): Promise<{ rows: ApiTokenRow[]; total: Total }> {
  let matching = q.selectFrom('api_tokens').selectAll()
  if (filters.binding !== undefined) matching = matching.where('binding', '=', filters.binding)
  if (filters.owner !== undefined) matching = matching.where('owner_id', 'in', filters.owner)
  for (const word of searchWords(filters.q ?? '')) {
    matching = matching.where(hasWordPrefix(sql.ref('name_folded'), word))
  }
  return readPage(q, matching, plan)
}

export function findToken(q: Query, id: string): Promise<ApiTokenRow | undefined> {
  return q.selectFrom('api_tokens').selectAll().where('id', '=', id).executeTakeFirst()
}

export async function countTokens(q: Query): Promise<number> {
  const row = await q
    .selectFrom('api_tokens')
    .select(q.fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow()
  return Number(row.count)
}

export async function insertToken(q: Query, row: ApiTokenRow): Promise<void> {
  await q.insertInto('api_tokens').values(row).execute()
}

/** The fields of a token that can change. */
export type TokenChange = Pick<
  ApiTokenRow,
  'binding' | 'owner_kind' | 'owner_id' | 'gateway' | 'budget' | 'cache_seconds'
>

export async function changeToken(q: Query, id: string, change: TokenChange): Promise<void> {
  await q.updateTable('api_tokens').set(change).where('id', '=', id).execute()
}

export function findOwner(q: Query, idOrName: string) {
  return q
    .selectFrom('users')
    .select(['id', 'username', 'disabled'])
    .where((eb) => eb.or([eb('id', '=', idOrName), eb('username_folded', '=', fold(idOrName))]))
    .executeTakeFirst()
}

/** Counts the tokens that depend on a user's account. */
export async function countTokensOf(q: Query, userId: string): Promise<number> {
  const row = await q
    .selectFrom('api_tokens')
    .select(q.fn.countAll<number>().as('count'))
    .where('owner_id', '=', userId)
    .where('binding', '=', 'owner')
    .executeTakeFirstOrThrow()
  return Number(row.count)
}

/** Deletes the tokens that are limited to a workspace. Returns their ids. */
export async function deleteTokensIn(q: Query, workspaceId: string): Promise<string[]> {
  const tokens = q.selectFrom('api_tokens').select('id').where('workspace_id', '=', workspaceId)
  const rows = await tokens.execute()
  await q.deleteFrom('memberships').where('owner_id', 'in', tokens).execute()
  await q.deleteFrom('api_tokens').where('workspace_id', '=', workspaceId).execute()
  return rows.map(({ id }) => id)
}

export async function deleteToken(q: Query, id: string): Promise<void> {
  await q.deleteFrom('api_tokens').where('id', '=', id).execute()
}
