import type { z } from 'zod'
import type {
  DefinitionHead,
  DuplicateBody,
  RollbackDefinitionBody,
} from '../../contract/definitions/definition.ts'
import type { Query } from '../db/types.ts'
import type { Context } from '../lib/context.ts'
import { invalid } from '../lib/fail.ts'
import { copyOf, requireSameKey } from '../resources/keys.ts'
import { requiredWorkspace } from '../resources/required-workspace.ts'
import { labelOf, versionNamed } from '../resources/versions.ts'
import {
  addDefinition,
  applyChange,
  type Change,
  type Definitions,
  recordChange,
  required,
  requiredState,
  requireFree,
} from './changes.ts'
import type { DefinitionRow, Workspace } from './definitions.store.ts'
import { behaviourOf, factsOf, toWire } from './kind.ts'

/** The fields of a request that all definitions have. */
export type DefinitionInput = {
  readonly key?: string | undefined
  readonly name?: string | undefined
  readonly description?: string | null | undefined
  readonly workspace_id?: string | undefined
  readonly message?: string | undefined
}

/** Returns the behaviour that results from a request body; `before` is null for a new definition. */
export type ResolveBehaviour<B> = (q: Query, before: B | null, workspaceId: string) => B | Promise<B>

export function createDefinition<B>(
  definitions: Definitions<B>,
  ctx: Context,
  input: DefinitionInput & { readonly key: string },
  resolveBehaviour: ResolveBehaviour<B>,
): Promise<DefinitionHead & B> {
  return definitions.db.write(async (tx) => {
    const { key, message = '' } = input
    const workspace = await requiredWorkspace(tx.q, ctx.scope, input.workspace_id ?? 'default')
    await requireFree(definitions, tx.q, workspace, key)
    const behaviour = await resolveBehaviour(tx.q, null, workspace.id)
    const head = { name: input.name ?? key, description: input.description ?? '' }
    const definition = { id: definitions.newId(), workspace, key, ...head, behaviour }
    const after = await addDefinition(definitions, tx, ctx, definition, { kind: 'create', message })
    const summary = `Created the ${definitions.kind.noun} ${key}`
    return recordChange(definitions, tx, ctx, { action: 'create', summary, after, message })
  })
}

/** Changes a definition. If nothing differs, no version and no audit entry is written. */
export function updateDefinition<B>(
  definitions: Definitions<B>,
  ctx: Context,
  { id, ifMatch, input, resolveBehaviour }: Update<B>,
): Promise<DefinitionHead & B> {
  return definitions.db.write(async (tx) => {
    const row = await requiredState(definitions, tx.q, ctx.scope, id, ifMatch)
    requireSameKey(input.key, row.key, `duplicate the ${definitions.kind.noun} instead`)
    const { message = '' } = input
    const workspace = await requiredWorkspace(tx.q, ctx.scope, input.workspace_id ?? row.workspace_id)
    if (workspace.id !== row.workspace_id)
      await requireFree(definitions, tx.q, workspace, row.key, 'workspace_id')
    const behaviour = await resolveBehaviour(tx.q, behaviourOf<B>(row), workspace.id)
    const change = { ...headAfter(row, workspace, input), behaviour }
    const after = await applyChange(definitions, tx, ctx, row, change, { kind: 'update', message })
    if (after === null) return toWire<B>(row)
    const summary = updateSummary(definitions.kind.noun, row, after)
    return recordChange(definitions, tx, ctx, { action: 'update', summary, before: row, after, message })
  })
}

export type Update<B> = {
  readonly id: string
  readonly ifMatch: string | null
  readonly input: DefinitionInput
  readonly resolveBehaviour: ResolveBehaviour<B>
}

/** Returns the unversioned fields after a change: absent leaves a field, null clears the description. */
const headAfter = <B>(
  row: DefinitionRow,
  workspace: Workspace,
  { name, description }: DefinitionInput,
): Omit<Change<B>, 'behaviour'> => ({
  workspace,
  name: name ?? row.name,
  description: description === undefined ? row.description : (description ?? ''),
})

function updateSummary(noun: string, before: DefinitionRow, after: DefinitionRow): string {
  const versionNote = after.version === before.version ? '' : `, now ${labelOf(after.version)}`
  return after.workspace_id === before.workspace_id
    ? `Changed the ${noun} ${before.key}${versionNote}`
    : `Moved the ${noun} ${before.key} from ${before.slug} to ${after.slug}${versionNote}`
}

export function removeDefinition<B>(
  definitions: Definitions<B>,
  ctx: Context,
  id: string,
  ifMatch: string | null,
): Promise<{ ok: true }> {
  const { noun } = definitions.kind
  return definitions.db.write(
    async (tx) => {
      const row = await requiredState(definitions, tx.q, ctx.scope, id, ifMatch)
      await definitions.store.erase(tx.q, id)
      await definitions.history.record(tx, ctx, {
        action: 'delete',
        resource: noun,
        resourceId: id,
        key: row.key,
        workspaceId: row.workspace_id,
        summary: `Deleted the ${noun} ${row.key}, ${labelOf(row.version)}`,
        before: factsOf<B>(row),
      })
      return { ok: true }
    },
    { evenWhenFull: true },
  )
}

export function duplicateDefinition<B>(
  definitions: Definitions<B>,
  ctx: Context,
  id: string,
  body: z.output<typeof DuplicateBody>,
): Promise<DefinitionHead & B> {
  return definitions.db.write(async (tx) => {
    const row = await required(definitions, tx.q, ctx.scope, id)
    const workspace = await requiredWorkspace(tx.q, ctx.scope, body?.workspace_id ?? row.workspace_id)
    const isTaken = async (key: string) =>
      (await definitions.store.findAt(tx.q, workspace.id, key)) !== undefined
    const copy = await copyOf(row, body ?? {}, workspace.id === row.workspace_id, isTaken)
    await requireFree(definitions, tx.q, workspace, copy.key)
    const { description } = row
    const behaviour = behaviourOf<B>(row)
    const definition = { id: definitions.newId(), workspace, ...copy, description, behaviour }
    const origin = { kind: 'create', message: `Copied from ${row.key}` } as const
    const after = await addDefinition(definitions, tx, ctx, definition, origin)
    const summary = `Created the ${definitions.kind.noun} ${copy.key}, copied from ${row.key}`
    return recordChange(definitions, tx, ctx, { action: 'create', summary, after })
  })
}

/** Makes the behaviour of an older version the next version. */
export function rollBackDefinition<B>(
  definitions: Definitions<B>,
  ctx: Context,
  id: string,
  { version: requestedLabel, message = '' }: z.output<typeof RollbackDefinitionBody>,
  ifMatch: string | null,
): Promise<DefinitionHead & B> {
  return definitions.db.write(async (tx) => {
    const row = await requiredState(definitions, tx.q, ctx.scope, id, ifMatch)
    const target = await versionNamed(requestedLabel, row.version, (version) =>
      definitions.store.findVersion(tx.q, id, version),
    )
    const label = labelOf(target.version)
    if (target.version === row.version) throw invalid('version', `${label} is already live`)
    const workspace = await requiredWorkspace(tx.q, ctx.scope, row.workspace_id)
    const change = { ...headAfter(row, workspace, {}), behaviour: behaviourOf<B>(target) }
    const origin = { kind: 'rollback', message, from: target.version } as const
    const after = await applyChange(definitions, tx, ctx, row, change, origin)
    if (after === null) throw new Error('A rollback always makes a version')
    const { noun } = definitions.kind
    const summary = `Rolled the ${noun} ${row.key} back to ${label}, as ${labelOf(after.version)}`
    return recordChange(definitions, tx, ctx, { action: 'rollback', summary, before: row, after, message })
  })
}
