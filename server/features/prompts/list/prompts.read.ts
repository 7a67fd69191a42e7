import { type SelectQueryBuilder, sql } from 'kysely'
import type { z } from 'zod'
import { environments } from '../../../../contract/common/environments.ts'
import { folderOf } from '../../../../contract/prompts/prompt.ts'
import type { ListPromptsQuery, PromptFacets, PromptRow } from '../../../../contract/prompts/prompt-list.ts'
import { never } from '../../../db/dialect/expressions.ts'
import { inScope } from '../../../db/dialect/in-scope.ts'
import type { PromptsTable, Schema } from '../../../db/schema/schema.ts'
import type { Query } from '../../../db/types.ts'
import type { Scope } from '../../../lib/context.ts'
import { applyPage, countRows, type PageReply, planPage, readLongRows, toPage } from '../../../lib/paging.ts'
import { wordsOf } from '../../../lib/text/words.ts'
import { inOrder, orderedValues, resourceOrder } from '../../../resources/lists.ts'
import { workspaceIdsOf } from '../../../resources/workspaces.read.ts'
import { joined, selectWhole, type WholeRow } from '../state/prompts.store.ts'
import { toWire } from '../state/prompts.wire.ts'
import { withWordPrefix } from '../state/words.store.ts'

export type ListQuery = z.output<typeof ListPromptsQuery>
type Place = { readonly workspace: string; readonly env: string; readonly key: string }
/** Returns the number of connected clients that use a key. */
export type CountClients = (place: Place) => number

/** A page without the numbers of connected clients, which are not in the store. */
export type PromptPage = {
  readonly reply: PageReply<Omit<PromptRow, 'client_count'>>
  /** The place of each prompt, in order. */
  readonly places: readonly Place[]
}

const keys = ['key', 'env'] as const
const promptOrder = resourceOrder('p', keys)

type Filters = Omit<ListQuery, 'limit' | 'offset' | 'cursor' | 'sort' | 'fields'>

type Found = SelectQueryBuilder<Schema & { p: PromptsTable }, 'p', object>

function inFolder(found: Found, folder: string): Found {
  const path = folder.replace(/^\/+|\/+$/g, '')
  return path === ''
    ? found.where('p.folder', '=', '')
    : // `0` follows `/` in ASCII, so this range contains every key that begins with the path and a slash.
      found.where('p.key', '>=', `${path}/`).where('p.key', '<', `${path}0`)
}

/**
 * Returns the query with all filters, without paging and order. The deletion is a literal condition, because
 * the indexes are partial.
 */
export function matching(q: Query, scope: Scope, filters: Filters) {
  let found: Found = q
    .selectFrom('prompts as p')
    .where(inScope(scope, 'p.workspace_id'))
    .where('p.deleted_at', filters.include === 'deleted' ? 'is not' : 'is', null)
  const { workspace, env, folder, key, category, tag, draft } = filters
  if (workspace !== undefined) {
    found = found.where('p.workspace_id', 'in', workspaceIdsOf(q, workspace))
  }
  if (env !== undefined) found = found.where('p.env', 'in', env)
  if (key !== undefined) found = found.where('p.key', 'in', key)
  if (category !== undefined) found = found.where('p.category', 'in', category)
  if (draft !== undefined) found = found.where('p.has_draft', '=', draft ? 1 : 0)
  if (folder !== undefined) found = inFolder(found, folder)
  if (tag !== undefined) {
    // Tested per prompt in the order of the list, so that a page of a frequent tag does not read all its
    // prompts.
    found = found.where((eb) =>
      eb.exists(
        eb
          .selectFrom('prompt_tags as t')
          .select('t.tag')
          .whereRef('t.prompt_id', '=', 'p.id')
          .where('t.tag', 'in', tag),
      ),
    )
  }
  if (filters.q !== undefined) {
    const words = wordsOf(filters.q, 10)
    if (words.length === 0) found = found.where(never)
    for (const word of words) found = found.where('p.id', 'in', withWordPrefix(q, word))
  }
  return found
}

export async function listPrompts(
  q: Query,
  scope: Scope,
  { fields, ...query }: ListQuery,
): Promise<PromptPage> {
  const plan = planPage(query, promptOrder(query.sort ?? 'key'))
  const found = matching(q, scope, query)
  const total = await countRows(q, found, { isCapped: plan.isFiltered })
  const ids = await applyPage(found.select('p.id'), plan).execute()
  const isSummary = fields === 'summary'
  const page = await readLongRows(plan, ids, (chunk) => wholeRows(q, chunk, isSummary))
  const places: Place[] = []
  const reply = toPage(page.plan, page.rows, total, orderedValues(plan.order.name, keys), (row) => {
    places.push({ workspace: row.slug, env: row.env, key: row.key })
    return rowToWire(row, isSummary)
  })
  return { reply, places }
}

/** Returns a function that adds the numbers of clients to a page. Its reply stays the same object until one changes. */
export function createClientCounts() {
  const replies = new WeakMap<PromptPage, { readonly counts: string; readonly reply: PageReply<PromptRow> }>()
  return (page: PromptPage, countClients: CountClients): PageReply<PromptRow> => {
    const numbers = page.places.map(countClients)
    const counts = numbers.join()
    const known = replies.get(page)
    if (known?.counts === counts) return known.reply
    const data = page.reply.data.map((row, at) => ({ ...row, client_count: numbers[at] ?? 0 }))
    const reply = { ...page.reply, data }
    replies.set(page, { counts, reply })
    return reply
  }
}

/** Returns rows in the order of the ids. In a summary the long texts are not read. */
export async function wholeRows(q: Query, ids: readonly string[], isSummary: boolean): Promise<WholeRow[]> {
  if (ids.length === 0) return []
  const rows: WholeRow[] = isSummary
    ? await joined(q)
        .selectAll('p')
        .select([
          'w.slug',
          'w.protected_envs',
          'w.name as workspace_name',
          'd.model as draft_model',
          'v.model as served_model',
          sql<string | null>`case when d.prompt_id is null then null else '' end`.as('draft_content'),
          sql<string | null>`case when d.prompt_id is null then null else '[]' end`.as('draft_variables'),
          sql<string | null>`case when v.prompt_id is null then null else '' end`.as('served_content'),
          sql<string | null>`case when v.prompt_id is null then null else '[]' end`.as('served_variables'),
          sql<string | null>`case when d.messages is null then null else '[]' end`.as('draft_messages'),
          sql<string | null>`case when v.messages is null then null else '[]' end`.as('served_messages'),
          sql<string | null>`null`.as('draft_params'),
          sql<string | null>`null`.as('served_params'),
          'd.has_includes as draft_has_includes',
          'v.has_includes as served_has_includes',
        ])
        .where('p.id', 'in', ids)
        .execute()
    : await selectWhole(q).where('p.id', 'in', ids).execute()
  return inOrder(ids, rows)
}

/** Returns the ids of all matching prompts, ordered by key. If `ids` is given, only those ids. */
export async function allMatching(
  q: Query,
  scope: Scope,
  filters: Filters,
  ids: readonly string[] | undefined,
): Promise<string[]> {
  const found = matching(q, scope, filters).select('p.id').orderBy('p.key').orderBy('p.env').orderBy('p.id')
  const rows = await (ids === undefined ? found : found.where('p.id', 'in', ids)).execute()
  return rows.map((row) => row.id)
}

function rowToWire(row: WholeRow, isSummary: boolean): Omit<PromptRow, 'client_count'> {
  const prompt = toWire(row)
  if (!isSummary) return prompt
  const { content, messages, params, variables, served, ...rest } = prompt
  return { ...rest, served: served && { version: served.version, type: served.type, model: served.model } }
}

/**
 * The folder of `k.key`: the key without the characters after its last `/`. Computed from the key, because
 * the index of keys does not have the column of the folder.
 */
const keyFolder = sql<string>`rtrim(rtrim(k.key, replace(k.key, '/', '')), '/')`

type FacetFilters = Pick<Filters, 'workspace' | 'env'> & { readonly by?: 'prompt' | 'key' | undefined }

/** Returns the values for the filters. The list of environments ignores the filter by environment. */
export async function readFacets(
  q: Query,
  scope: Scope,
  { by, ...filters }: FacetFilters,
): Promise<PromptFacets> {
  const found = matching(q, scope, filters)
  const count = sql<number>`count(*)`.as('count')
  const folders =
    by === 'key'
      ? await q
          .selectFrom(found.select(['p.key', 'p.workspace_id']).distinct().as('k'))
          .select([keyFolder.as('name'), count])
          .groupBy('name')
          .execute()
      : await found.select(['p.folder as name', count]).groupBy('p.folder').execute()
  const categories = await found
    .select(['p.category as name', count])
    .where('p.category', 'is not', null)
    .groupBy('p.category')
    .orderBy('p.category')
    .execute()
  const tags = await q
    .selectFrom('prompt_tags as t')
    .select(['t.tag as name', count])
    .where('t.prompt_id', 'in', found.select('p.id'))
    .groupBy('t.tag')
    .orderBy('t.tag')
    .execute()
  const envs = await matching(q, scope, { workspace: filters.workspace })
    .select(['p.env as name', count])
    .groupBy('p.env')
    .execute()
  const drafts = await found.select(count).where('p.has_draft', '=', 1).executeTakeFirst()
  const deleted = await matching(q, scope, { ...filters, include: 'deleted' })
    .select(count)
    .executeTakeFirst()
  return {
    folders: treeOf(folders),
    categories: categories.flatMap(({ name, count: n }) => (name === null ? [] : [{ name, count: n }])),
    tags,
    envs: environments.map((name) => ({ name, count: envs.find((env) => env.name === name)?.count ?? 0 })),
    drafts: drafts?.count ?? 0,
    deleted: deleted?.count ?? 0,
  }
}

/** Returns every folder and every parent, by path. The first is the root, for keys without a folder. */
function treeOf(counted: readonly { name: string; count: number }[]): PromptFacets['folders'] {
  const nodes = new Map([['', { path: '', count: 0, total: 0 }]])
  for (const { name, count } of counted) {
    for (let path = name; ; path = folderOf(path)) {
      const node = nodes.get(path) ?? { path, count: 0, total: 0 }
      if (path === name) node.count += count
      node.total += count
      nodes.set(path, node)
      if (path === '') break
    }
  }
  return [...nodes.values()].toSorted((a, b) => (a.path < b.path ? -1 : 1))
}
