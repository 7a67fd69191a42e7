import { type Budget, type BudgetScope, defaultTimeZone } from '../../../contract/gateway/budgets.ts'
import { defaultWorkspaceId } from '../../../contract/system/workspaces.ts'
import { findTokenById } from '../../auth/tokens/api-tokens.store.ts'
import { prepareQuery } from '../../db/prepared.ts'
import type { ApiTokensTable } from '../../db/schema/schema.ts'
import type { WorkspacesTable } from '../../db/schema/workspaces.ts'
import type { Query } from '../../db/types.ts'
import { budgetOf } from '../../resources/budgets/budget-text.ts'

/** The owner of a budget: all calls, a workspace or an API token. */
export type BudgetOwner = {
  /** The name in the tables of budgets. */
  readonly owner: string
  readonly scope: BudgetScope
  /** Null for all calls. */
  readonly id: string | null
  readonly name: string | null
  /** Null: there is no limit. */
  readonly budget: Budget | null
  readonly timeZone: string
  /** The workspace whose members see its notices; null: those of every workspace. */
  readonly workspaceId: string | null
}

/** The caller and the place of a call. */
export type BudgetCall = {
  /** Null: the service token. */
  readonly tokenId: string | null
  readonly workspaceId: string
}

type TokenRow = Pick<ApiTokensTable, 'id' | 'name' | 'budget' | 'workspace_id' | 'owner_id'>
type WorkspaceRow = Pick<WorkspacesTable, 'id' | 'name' | 'budget' | 'time_zone'>

/** A workspace, and the token of the call beside it. */
type OwnerRow = WorkspaceRow & {
  /** Null: the service token. */
  readonly token_id: string | null
  readonly token_name: string | null
  readonly token_budget: string | null
  readonly token_workspace_id: string | null
  /** Null: no other token owns it. */
  readonly token_owner_id: string | null
}

/** The workspace of a call and the default workspace, with one query, because every call of the gateway waits for it. */
const ownerRows = prepareQuery<{ tokenId: string | null; id: string; other: string }, OwnerRow>((q, p) =>
  q
    .selectFrom('workspaces as w')
    .leftJoin('api_tokens as t', (join) => join.on('t.id', '=', p('tokenId')))
    .leftJoin('api_tokens as o', 'o.id', 't.owner_id')
    .select(['w.id', 'w.name', 'w.budget', 'w.time_zone'])
    .select(['t.id as token_id', 't.name as token_name', 'o.id as token_owner_id'])
    .select(['t.budget as token_budget', 't.workspace_id as token_workspace_id'])
    .where((eb) => eb.or([eb('w.id', '=', p('id')), eb('w.id', '=', p('other'))])),
)

/** Returns the token of a call; null: the service token. */
function tokenOf(rows: readonly OwnerRow[]): TokenRow | null {
  const [row] = rows
  if (row === undefined || row.token_id === null || row.token_name === null) return null
  return {
    id: row.token_id,
    name: row.token_name,
    budget: row.token_budget,
    workspace_id: row.token_workspace_id,
    owner_id: row.token_owner_id,
  }
}

type Zones = ReadonlyMap<string, string>

const zoneOf = (zones: Zones, workspaceId: string | null): string =>
  zones.get(workspaceId ?? defaultWorkspaceId) ?? zones.get(defaultWorkspaceId) ?? defaultTimeZone

const zonesOf = (rows: readonly WorkspaceRow[]): Zones =>
  new Map(rows.map(({ id, time_zone }) => [id, time_zone ?? defaultTimeZone]))

const ownerOfAll = (budget: Budget | null, zones: Zones): BudgetOwner => ({
  owner: 'all',
  scope: 'all',
  id: null,
  name: null,
  budget,
  timeZone: zoneOf(zones, null),
  workspaceId: null,
})

const ownerOfWorkspace = ({ id, name, budget, time_zone: zone }: WorkspaceRow): BudgetOwner => ({
  owner: `workspace:${id}`,
  scope: 'workspace',
  id,
  name,
  budget: budgetOf(budget),
  timeZone: zone ?? defaultTimeZone,
  workspaceId: id,
})

const ownerOfToken = ({ id, name, budget, workspace_id }: TokenRow, zones: Zones): BudgetOwner => ({
  owner: `token:${id}`,
  scope: 'token',
  id,
  name,
  budget: budgetOf(budget),
  timeZone: zoneOf(zones, workspace_id),
  workspaceId: workspace_id,
})

/** Returns the owners of the budgets that a call counts for, in the order in which all calls lock the rows. */
export async function ownersOf(
  q: Query,
  { tokenId, workspaceId }: BudgetCall,
  budgetOfAll: Budget | null,
): Promise<BudgetOwner[]> {
  const rows = await ownerRows(q, { tokenId, id: workspaceId, other: defaultWorkspaceId })
  const tokens: TokenRow[] = []
  let token: TokenRow | null | undefined = tokenOf(rows)
  // A token owns the tokens that it created.
  while (token) {
    tokens.push(token)
    token = token.owner_id === null ? null : await findTokenById(q, token.owner_id)
  }
  const zones = zonesOf(rows)
  return [
    ownerOfAll(budgetOfAll, zones),
    ...rows.filter(({ id }) => id === workspaceId).map(ownerOfWorkspace),
    ...tokens.map((token) => ownerOfToken(token, zones)),
  ]
}

/** Returns every owner that has a budget. */
export async function limitedOwners(q: Query, budgetOfAll: Budget | null): Promise<BudgetOwner[]> {
  const workspaces = await q.selectFrom('workspaces').select(['id', 'name', 'budget', 'time_zone']).execute()
  const tokens = await q
    .selectFrom('api_tokens')
    .select(['id', 'name', 'budget', 'workspace_id', 'owner_id'])
    .where('budget', 'is not', null)
    .orderBy('name_folded')
    .execute()
  const zones = zonesOf(workspaces)
  return [
    ownerOfAll(budgetOfAll, zones),
    ...workspaces.map(ownerOfWorkspace),
    ...tokens.map((token) => ownerOfToken(token, zones)),
  ].filter(({ budget }) => budget !== null)
}
