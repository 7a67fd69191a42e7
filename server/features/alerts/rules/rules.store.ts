import { sql } from 'kysely'
import { inScope } from '../../../db/dialect/in-scope.ts'
import { type Params, prepareQuery } from '../../../db/prepared.ts'
import type { AlertStatesTable, AlertsTable } from '../../../db/schema/alerts.ts'
import type { Query } from '../../../db/types.ts'
import type { Scope } from '../../../lib/context.ts'
import { numberKey, orders, type PagePlan, readPage, type Total, textKey } from '../../../lib/paging.ts'
import { searchWords } from '../../../lib/text/search.ts'
import { hasWordPrefix } from '../../../lib/text/word-prefix.ts'

export type RuleRow = AlertsTable
export type StateRow = AlertStatesTable

export const ruleOrder = orders({
  name: [textKey('name_folded'), textKey('id')],
  created_at: [numberKey('created_at'), textKey('id')],
})

export const ruleKeys = (sort: string): ((row: RuleRow) => (string | number)[]) =>
  sort.endsWith('name') ? (row) => [row.name_folded, row.id] : (row) => [row.created_at, row.id]

export type RuleFilters = {
  readonly kind: readonly RuleRow['kind'][] | undefined
  /** Alerts on this workspace, and on all. */
  readonly workspaceId: string | undefined
  readonly q: string | undefined
}

export async function listRules(
  q: Query,
  scope: Scope,
  { kind, workspaceId, q: text }: RuleFilters,
  plan: PagePlan,
): Promise<{ rows: RuleRow[]; total: Total }> {
  let matching = q.selectFrom('alerts').selectAll().where(inScope(scope, 'workspace_id'))
  if (kind !== undefined) matching = matching.where('kind', 'in', kind)
  if (workspaceId !== undefined)
    matching = matching.where((eb) =>
      eb.or([eb('workspace_id', 'is', null), eb('workspace_id', '=', workspaceId)]),
    )
  for (const word of searchWords(text ?? '')) {
    matching = matching.where(hasWordPrefix(sql.ref('name_folded'), word))
  }
  return readPage(q, matching, plan)
}

const ruleById = prepareQuery((q, p: Params<{ id: string }>) =>
  q.selectFrom('alerts').selectAll().where('id', '=', p('id')),
)
export const findRule = async (q: Query, id: string): Promise<RuleRow | undefined> =>
  (await ruleById(q, { id }))[0]

export const enabledRules = prepareQuery((q) =>
  q.selectFrom('alerts').selectAll().where('enabled', '=', 1).orderBy('id'),
)

export async function countRules(q: Query): Promise<number> {
  const row = await q
    .selectFrom('alerts')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .executeTakeFirst()
  return Number(row?.count ?? 0)
}

export async function putRule(q: Query, row: RuleRow): Promise<void> {
  const { id: _id, ...rest } = row
  await q
    .insertInto('alerts')
    .values(row)
    .onConflict((conflict) => conflict.column('id').doUpdateSet(rest))
    .execute()
}

export async function deleteRule(q: Query, id: string): Promise<void> {
  await q.deleteFrom('alerts').where('id', '=', id).execute()
  await deleteState(q, id)
}

const stateById = prepareQuery((q, p: Params<{ id: string }>) =>
  q.selectFrom('alert_states').selectAll().where('alert_id', '=', p('id')),
)
export const findState = async (q: Query, id: string): Promise<StateRow | undefined> =>
  (await stateById(q, { id }))[0]

export async function putState(q: Query, row: StateRow): Promise<void> {
  const { alert_id: _id, ...rest } = row
  await q
    .insertInto('alert_states')
    .values(row)
    .onConflict((conflict) => conflict.column('alert_id').doUpdateSet(rest))
    .execute()
}

export async function deleteState(q: Query, id: string): Promise<void> {
  await q.deleteFrom('alert_states').where('alert_id', '=', id).execute()
}
