import type { SelectQueryBuilder } from 'kysely'
import type { resourceSorts } from '../../contract/resources/versioned.ts'
import type { Schema } from '../db/schema/schema.ts'
import type { WorkflowsTable } from '../db/schema/workflows.ts'
import type { Query } from '../db/types.ts'
import type { Scope } from '../lib/context.ts'
import { applyPage, countRows, planPage, readLongRows, toPage } from '../lib/paging.ts'
import { orderedValues, resourceOrder } from '../resources/lists.ts'
import type { DefinitionRow, DefinitionStore, Filters } from './definitions.store.ts'

const keys = ['key'] as const
const order = resourceOrder('d', keys)

type Found = SelectQueryBuilder<Schema & { d: WorkflowsTable }, 'd', object>
/** Adds filters that only one kind of definition has. */
export type FilterQuery = (found: Found) => Found
type ListQuery = Filters & {
  readonly limit: number
  readonly offset?: number | undefined
  readonly cursor?: string | undefined
  readonly sort?: (typeof resourceSorts)[number] | undefined
}

export async function listDefinitions<Wire>(
  q: Query,
  scope: Scope,
  store: DefinitionStore,
  query: ListQuery,
  narrow: FilterQuery,
  toWire: (rows: readonly DefinitionRow[]) => Promise<(row: DefinitionRow) => Wire>,
) {
  const plan = planPage(query, order(query.sort ?? 'key'))
  const found = narrow(store.matching(q, scope, query))
  const total = await countRows(q, found, { isCapped: plan.isFiltered })
  const ids = await applyPage(found.select('d.id'), plan).execute()
  const page = await readLongRows(plan, ids, (chunk) => store.findAll(q, chunk))
  return toPage(page.plan, page.rows, total, orderedValues(plan.order.name, keys), await toWire(page.rows))
}

/** Returns the ids of all matching definitions, ordered by key. If `id` is given, only those ids. */
export async function allDefinitions(
  q: Query,
  scope: Scope,
  store: DefinitionStore,
  { id, ...filters }: Filters & { readonly id?: readonly string[] | undefined },
  narrow: FilterQuery,
): Promise<string[]> {
  const found = narrow(store.matching(q, scope, filters))
    .select('d.id')
    .orderBy('d.key')
    .orderBy('d.id')
  const rows = await (id === undefined ? found : found.where('d.id', 'in', id)).execute()
  return rows.map((row) => row.id)
}
