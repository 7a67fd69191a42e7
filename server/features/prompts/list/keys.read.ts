import { type RawBuilder, sql } from 'kysely'
import type { z } from 'zod'
import { environments } from '../../../../contract/common/environments.ts'
import type { KeyEnvironment, ListKeysQuery, PromptKeyRow } from '../../../../contract/prompts/prompt-keys.ts'
import { withoutIndex } from '../../../db/dialect/expressions.ts'
import type { Query } from '../../../db/types.ts'
import type { Scope } from '../../../lib/context.ts'
import {
  applyPage,
  type CursorValue,
  countRows,
  numberKey,
  orders,
  planPage,
  textKey,
  toPage,
} from '../../../lib/paging.ts'
import { timeOf } from '../../../resources/changes.ts'
import { labelOf } from '../../../resources/versions.ts'
import { workspaceIdsOf } from '../../../resources/workspaces.read.ts'
import { hashOf } from '../state/body.ts'
import { selectWhole, type WholeRow } from '../state/prompts.store.ts'
import { isProtected, servedOf } from '../state/prompts.wire.ts'
import { idsBehind } from './behind.read.ts'
import { type CountClients, matching } from './prompts.read.ts'

export type KeysQuery = z.output<typeof ListKeysQuery>

/** A key of a workspace. */
type Place = { readonly workspace_id: string; readonly key: string }
type FoundPlace = Place & { readonly updated_at: number }

const keyOrder = orders({
  key: [textKey('p.key'), textKey('p.workspace_id')],
  updated_at: [numberKey('p.updated_at'), textKey('p.key'), textKey('p.workspace_id')],
})

/** Returns one page of the keys that have a matching environment, each with all its environments. */
export async function listKeys(q: Query, scope: Scope, query: KeysQuery, countClients: CountClients) {
  const order = keyOrder(query.sort ?? 'key')
  const plan = planPage(query, order)
  const isByTime = order.name.endsWith('updated_at')
  const newest = sql<number>`(select max(a.updated_at) from prompts as a
    where a.deleted_at is null and a.key = p.key and a.workspace_id = p.workspace_id)`
  const places = inWorkspaces(q, scope, query)
    .select(['p.key', 'p.workspace_id', (isByTime ? newest : sql<number>`0`).as('updated_at')])
    .groupBy(['p.key', 'p.workspace_id'])
  const total = await countRows(q, places, { isCapped: plan.isFiltered })
  // Grouped by the index of keys. By time all keys are read, because any of them may have the newest change.
  const page: FoundPlace[] = isByTime
    ? await applyPage(q.selectFrom(places.as('p')).selectAll(), plan).execute()
    : await applyPage(places, plan).execute()
  const rows = await rowsOf(q, page.slice(0, plan.limit), countClients)
  const wireOf = (place: Place): PromptKeyRow[] => rows.get(nameOf(place)) ?? []
  const valuesOf = ({ key, workspace_id, updated_at }: FoundPlace): CursorValue[] =>
    isByTime ? [updated_at, key, workspace_id] : [key, workspace_id]
  const reply = toPage(plan, page, total, valuesOf, wireOf)
  return { ...reply, data: reply.data.flat() }
}

/**
 * Returns the matching prompts. The filter by workspace must not choose the index: that of keys covers the
 * list, and is read in its order.
 */
function inWorkspaces(q: Query, scope: Scope, { workspace, ...filters }: KeysQuery) {
  const found = matching(q, scope, filters)
  return workspace === undefined
    ? found
    : found.where(withoutIndex('p.workspace_id'), 'in', workspaceIdsOf(q, workspace))
}

const nameOf = ({ workspace_id, key }: Place): string => `${workspace_id}/${key}`

/** Returns the row of each place, by name of the place. */
async function rowsOf(
  q: Query,
  places: readonly Place[],
  countClients: CountClients,
): Promise<ReadonlyMap<string, PromptKeyRow[]>> {
  if (places.length === 0) return new Map()
  const pairs: RawBuilder<unknown>[] = places.map(
    ({ workspace_id, key }) => sql`(${sql.val(workspace_id)}, ${sql.val(key)})`,
  )
  const prompts = await selectWhole(q)
    .where('p.deleted_at', 'is', null)
    .where(sql<boolean>`(p.workspace_id, p.key) in (values ${sql.join(pairs)})`)
    .execute()
  const byPlace = new Map<string, WholeRow[]>()
  for (const row of prompts) byPlace.set(nameOf(row), [...(byPlace.get(nameOf(row)) ?? []), row])
  const behind = await idsBehind(q, byPlace.values())
  return new Map([...byPlace].map(([name, envs]) => [name, rowOf(envs, behind, countClients)]))
}

/** Returns the row of a key from its prompts, as a list that is empty without prompts. */
function rowOf(
  prompts: readonly WholeRow[],
  behind: ReadonlySet<string>,
  countClients: CountClients,
): PromptKeyRow[] {
  const [latest] = prompts.toSorted((a, b) => b.updated_at - a.updated_at)
  if (latest === undefined) return []
  const cellOf = (row: WholeRow): KeyEnvironment => {
    const served = servedOf(row)
    return {
      id: row.id,
      env: row.env,
      version: row.version === 0 ? null : labelOf(row.version),
      content_hash: served && hashOf(served),
      behind: behind.has(row.id),
      has_draft: row.has_draft === 1,
      protected: isProtected(row.protected_envs, row.env),
      model: (served ?? { model: row.draft_model }).model,
      published_at: row.published_at === null ? null : timeOf(row.published_at),
      updated_by: row.updated_by,
      updated_at: timeOf(row.updated_at),
      client_count: countClients({ workspace: row.slug, env: row.env, key: row.key }),
    }
  }
  return [
    {
      workspace_id: latest.workspace_id,
      key: latest.key,
      folder: latest.folder,
      name: latest.name,
      category: latest.category,
      tags: JSON.parse(latest.tags),
      updated_by: latest.updated_by,
      updated_at: timeOf(latest.updated_at),
      envs: environments.flatMap((env) => prompts.filter((row) => row.env === env).map(cellOf)),
    },
  ]
}
