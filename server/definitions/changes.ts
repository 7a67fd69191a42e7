import type { DefinitionHead } from '../../contract/definitions/definition.ts'
import type { AuditAction } from '../../contract/system/audit.ts'
import type { Db, Query, Tx } from '../db/types.ts'
import type { History } from '../history/history.ts'
import type { Context, Scope } from '../lib/context.ts'
import { fail } from '../lib/fail.ts'
import type { NewId } from '../lib/ids.ts'
import { everyWorkspace, requireInScope } from '../lib/scope.ts'
import { capitalize } from '../lib/text/capitalize.ts'
import { fold } from '../lib/text/search.ts'
import { firstState, nextState, requireState, summaryWith, versionState } from '../resources/changes.ts'
import { keyTaken } from '../resources/keys.ts'
import type { DefinitionRow, DefinitionStore, VersionRow, Workspace } from './definitions.store.ts'
import { behaviourOf, etagOf, factsOf, type Kind, toWire } from './kind.ts'

/** The definitions of one kind: its description, its tables, and what a change needs. */
export type Definitions<B> = {
  readonly db: Db
  readonly history: History
  readonly newId: NewId
  readonly kind: Kind<B>
  readonly store: DefinitionStore
}

export type Origin = Pick<VersionRow, 'kind' | 'message'> & { readonly from?: number }
export type New<B> = {
  readonly id: string
  readonly workspace: Workspace
  readonly key: string
  readonly name: string
  readonly description: string
  readonly behaviour: B
}
export type Change<B> = Omit<New<B>, 'id' | 'key'>

/** Returns the row of a definition. Throws 404 if none exists for the caller. */
export async function required<B>(
  { store, kind }: Definitions<B>,
  q: Query,
  scope: Scope,
  id: string,
): Promise<DefinitionRow> {
  const row = await store.find(q, id)
  const notFound = `${capitalize(kind.noun)} not found.`
  if (row === undefined) throw fail('not_found', { detail: notFound })
  requireInScope(scope, row.workspace_id, notFound)
  return row
}

/** Returns the row. Throws 412 if it is not in the state that the caller knows. */
export async function requiredState<B>(
  definitions: Definitions<B>,
  q: Query,
  scope: Scope,
  id: string,
  ifMatch: string | null,
): Promise<DefinitionRow> {
  const row = await required(definitions, q, scope, id)
  requireState(ifMatch, etagOf(row), row)
  return row
}

/** Throws 409 if the key is taken in the workspace. */
export async function requireFree<B>(
  { store, kind }: Definitions<B>,
  q: Query,
  workspace: Workspace,
  key: string,
  path = 'key',
): Promise<void> {
  if ((await store.findAt(q, workspace.id, key)) === undefined) return
  throw keyTaken(kind.keyTaken, { key, env: null }, workspace, path)
}

/** Adds a definition with its first version. */
export async function addDefinition<B>(
  definitions: Definitions<B>,
  tx: Tx,
  ctx: Context,
  { id, workspace, key, name, description, behaviour }: New<B>,
  origin: Origin,
): Promise<DefinitionRow> {
  const row = { id, workspace_id: workspace.id, key, name, name_folded: fold(name), description }
  await definitions.store.insert(tx.q, { ...row, version: 1, ...firstState(ctx) })
  await addVersion(definitions, tx, ctx, { id, version: 1, body: JSON.stringify(behaviour) }, origin)
  return updateIndex(definitions, tx.q, id)
}

/** Applies a change. A different behaviour becomes the next version. Returns null if nothing differs. */
export async function applyChange<B>(
  definitions: Definitions<B>,
  tx: Tx,
  ctx: Context,
  row: DefinitionRow,
  { workspace, name, description, behaviour }: Change<B>,
  origin: Origin,
): Promise<DefinitionRow | null> {
  const body = JSON.stringify(behaviour)
  const isNewVersion = body !== row.body || origin.kind === 'rollback'
  const isHeadChanged =
    name !== row.name || description !== row.description || workspace.id !== row.workspace_id
  if (!isNewVersion && !isHeadChanged) return null
  const version = isNewVersion ? row.version + 1 : row.version
  if (isNewVersion) await addVersion(definitions, tx, ctx, { id: row.id, version, body }, origin)
  const head = { workspace_id: workspace.id, name, name_folded: fold(name), description }
  await definitions.store.update(tx.q, row.id, { ...head, version, ...nextState(ctx, row) })
  return updateIndex(definitions, tx.q, row.id)
}

type ChangeRecord = {
  readonly action: AuditAction
  readonly summary: string
  readonly before?: DefinitionRow
  readonly after: DefinitionRow
  readonly message?: string
}

/** Writes the audit entry of a change, and returns the definition as the API has it. */
export async function recordChange<B>(
  { history, kind }: Definitions<B>,
  tx: Tx,
  ctx: Context,
  { action, summary, before, after, message = '' }: ChangeRecord,
): Promise<DefinitionHead & B> {
  await history.record(tx, ctx, {
    action,
    resource: kind.noun,
    resourceId: after.id,
    key: after.key,
    workspaceId: after.workspace_id,
    summary: summaryWith(summary, message),
    ...(before !== undefined && { before: factsOf<B>(before) }),
    after: factsOf<B>(after),
  })
  return toWire<B>(after)
}

function addVersion<B>(
  { store }: Definitions<B>,
  tx: Tx,
  ctx: Context,
  { id, ...version }: { readonly id: string; readonly version: number; readonly body: string },
  { from = null, ...origin }: Omit<Origin, 'from'> & { readonly from?: number | null },
): Promise<void> {
  return store.insertVersion(tx.q, {
    owner_id: id,
    ...version,
    ...origin,
    from_version: from,
    ...versionState(ctx),
  })
}

/** Updates the search index and the filter columns of a definition, and returns its row. */
async function updateIndex<B>(definitions: Definitions<B>, q: Query, id: string): Promise<DefinitionRow> {
  const row = await required(definitions, q, everyWorkspace, id)
  const behaviour = behaviourOf<B>(row)
  const text = [row.key, row.name, row.description, definitions.kind.textOf(behaviour)].join(' ')
  await definitions.store.index(q, id, text)
  await definitions.kind.storeFilterColumns?.(q, id, behaviour)
  return row
}
