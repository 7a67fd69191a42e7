import type { Query, Tx } from '../db/types.ts'
import type { Context } from '../lib/context.ts'
import { fail, invalid } from '../lib/fail.ts'
import { fold } from '../lib/text/search.ts'
import { requireMatch } from '../resources/precondition.ts'
import { findWorkspace } from '../resources/workspaces.read.ts'
import {
  type DefinitionRow,
  type DefinitionStore,
  definitionStore,
  type VersionRow,
  type Workspace,
} from './definitions.store.ts'
import { behaviourOf, etagOf, type Kind } from './kind.ts'

type Origin = Pick<VersionRow, 'kind' | 'message'> & { readonly from?: number }
export type New<B> = {
  readonly id: string
  readonly workspace: Workspace
  readonly key: string
  readonly name: string
  readonly description: string
  readonly behaviour: B
}
export type Change<B> = Omit<New<B>, 'id' | 'key'>

/** Returns the workspace given by id or slug. Throws 422 if there is none. */
export async function requiredWorkspace(q: Query, idOrSlug: string): Promise<Workspace> {
  const workspace = await findWorkspace(q, idOrSlug)
  if (workspace === undefined) throw invalid('workspace_id', 'There is no such workspace')
  return workspace
}

/**
 * The operations of which every change to a definition consists. Each runs inside the caller's transaction.
 */
export function definitionChanges<B>(kind: Kind<B>) {
  const store: DefinitionStore = definitionStore(kind.noun)

  async function required(q: Query, id: string): Promise<DefinitionRow> {
    const row = await store.find(q, id)
    if (row === undefined) throw fail('not_found', { detail: `There is no such ${kind.noun}.` })
    return row
  }

  async function indexed(q: Query, id: string): Promise<DefinitionRow> {
    const row = await required(q, id)
    const behaviour = behaviourOf<B>(row)
    const text = [row.key, row.name, row.description, kind.textOf(behaviour)].join(' ')
    await store.index(q, id, text)
    await kind.mark?.(q, id, behaviour)
    return row
  }

  const addVersion = (tx: Tx, ctx: Context, id: string, version: number, body: string, origin: Origin) =>
    store.insertVersion(tx.q, {
      owner_id: id,
      version,
      kind: origin.kind,
      from_version: origin.from ?? null,
      body,
      message: origin.message,
      created_by: ctx.actor.name,
      created_at: ctx.now.getTime(),
    })

  return {
    store,
    required,

    /** Returns the row. Throws 412 if it is not in the state that the caller knows. */
    async requiredState(q: Query, id: string, ifMatch: string | null): Promise<DefinitionRow> {
      const row = await required(q, id)
      requireMatch(ifMatch, etagOf(row), { by: row.updated_by, at: new Date(row.updated_at) })
      return row
    },

    async requireFree(q: Query, workspace: Workspace, key: string, path = 'key'): Promise<void> {
      if ((await store.findAt(q, workspace.id, key)) === undefined) return
      const message = `The key ${key} is taken in the workspace ${workspace.name}`
      throw fail(kind.keyTaken, { detail: `${message}.`, errors: [{ path, message }] })
    },

    async add(tx: Tx, ctx: Context, given: New<B>, origin: Origin): Promise<DefinitionRow> {
      const { id, workspace, key, name, description, behaviour } = given
      const nowMs = ctx.now.getTime()
      const by = ctx.actor.name
      await store.insert(tx.q, {
        id,
        workspace_id: workspace.id,
        key,
        name,
        name_folded: fold(name),
        description,
        version: 1,
        revision: 1,
        created_by: by,
        updated_by: by,
        created_at: nowMs,
        updated_at: nowMs,
      })
      await addVersion(tx, ctx, id, 1, JSON.stringify(behaviour), origin)
      return indexed(tx.q, id)
    },

    /** Applies a change. A different behaviour becomes the next version. Returns null if nothing differs. */
    async apply(
      tx: Tx,
      ctx: Context,
      row: DefinitionRow,
      { workspace, name, description, behaviour }: Change<B>,
      origin: Origin,
    ): Promise<DefinitionRow | null> {
      const body = JSON.stringify(behaviour)
      const isOther = body !== row.body || origin.kind === 'rollback'
      const isTold = name !== row.name || description !== row.description || workspace.id !== row.workspace_id
      if (!isOther && !isTold) return null
      const version = isOther ? row.version + 1 : row.version
      if (isOther) await addVersion(tx, ctx, row.id, version, body, origin)
      await store.update(tx.q, row.id, {
        workspace_id: workspace.id,
        name,
        name_folded: fold(name),
        description,
        version,
        revision: row.revision + 1,
        updated_by: ctx.actor.name,
        updated_at: ctx.now.getTime(),
      })
      return indexed(tx.q, row.id)
    },
  }
}
