import type { z } from 'zod'
import type { AuditAction } from '../../contract/audit.ts'
import type {
  DuplicateBody,
  ListDefinitionVersionsQuery,
  RollbackDefinitionBody,
} from '../../contract/definition.ts'
import { versionNumber } from '../../contract/prompt.ts'
import type { Db, Query, Tx } from '../db/types.ts'
import type { History } from '../history/history.ts'
import type { Context } from '../lib/context.ts'
import { fail, invalid } from '../lib/fail.ts'
import type { NewId } from '../lib/ids.ts'
import { planPage, toPage } from '../lib/paging.ts'
import { freeKey } from '../resources/free-key.ts'
import { definitionChanges, requiredWorkspace } from './changes.ts'
import { type DefinitionRow, versionOrder } from './definitions.store.ts'
import { behaviourOf, factsOf, type Kind, labelOf, type Said, toWire, versionToWire } from './kind.ts'
import type { ReadDefinitions } from './transfer.files.ts'

export type DefinitionsDeps = {
  readonly db: Db
  readonly history: History
  readonly newId: NewId
  readonly readFiles: ReadDefinitions
}

type Told = {
  readonly key?: string | undefined
  readonly name?: string | undefined
  readonly description?: string | null | undefined
  readonly workspace_id?: string | undefined
  readonly message?: string | undefined
}
/** Returns the behaviour that results from a request body; `before` is null for a new definition. */
type Behave<B> = (q: Query, before: B | null, workspaceId: string) => B | Promise<B>

/**
 * Create, change, copy, roll back and delete versioned definitions. Each operation writes one audit entry.
 */
export function createDefinitions<B>(
  { db, history, newId }: Omit<DefinitionsDeps, 'readFiles'>,
  kind: Kind<B>,
) {
  const changes = definitionChanges(kind)
  const { store, required, requiredState, requireFree } = changes
  const { noun } = kind

  const recorded = async (
    tx: Tx,
    ctx: Context,
    action: AuditAction,
    summary: string,
    { before, after }: { readonly before?: DefinitionRow; readonly after: DefinitionRow },
    message = '',
  ): Promise<Said & B> => {
    await history.record(tx, ctx, {
      action,
      resource: noun,
      resourceId: after.id,
      key: after.key,
      workspaceId: after.workspace_id,
      summary: message === '' ? summary : `${summary}: ${message}`,
      ...(before !== undefined && { before: factsOf<B>(before) }),
      after: factsOf<B>(after),
    })
    return toWire<B>(after)
  }

  return {
    changes,
    recorded,
    wire: (row: DefinitionRow): Said & B => toWire<B>(row),

    async get(_ctx: Context, id: string): Promise<Said & B> {
      return toWire<B>(await required(db.read, id))
    },

    create(ctx: Context, told: Told & { readonly key: string }, behave: Behave<B>): Promise<Said & B> {
      return db.write(async (tx) => {
        const { key, message = '' } = told
        const workspace = await requiredWorkspace(tx.q, told.workspace_id ?? 'default')
        await requireFree(tx.q, workspace, key)
        const behaviour = await behave(tx.q, null, workspace.id)
        const description = told.description ?? ''
        const given = { id: newId(), workspace, key, name: told.name ?? key, description, behaviour }
        const after = await changes.add(tx, ctx, given, { kind: 'create', message })
        return recorded(tx, ctx, 'create', `Created the ${noun} ${key}`, { after }, message)
      })
    },

    /** Changes a definition. If nothing differs, no version and no audit entry is written. */
    update(
      ctx: Context,
      id: string,
      told: Told,
      ifMatch: string | null,
      behave: Behave<B>,
    ): Promise<Said & B> {
      return db.write(async (tx) => {
        const row = await requiredState(tx.q, id, ifMatch)
        const { key, message = '' } = told
        if (key !== undefined && key !== row.key)
          throw invalid('key', `The key never changes: duplicate the ${noun} instead`)
        const workspace = await requiredWorkspace(tx.q, told.workspace_id ?? row.workspace_id)
        const isMoved = workspace.id !== row.workspace_id
        if (isMoved) await requireFree(tx.q, workspace, row.key, 'workspace_id')
        const change = {
          workspace,
          name: told.name ?? row.name,
          description: told.description === undefined ? row.description : (told.description ?? ''),
          behaviour: await behave(tx.q, behaviourOf<B>(row), workspace.id),
        }
        const after = await changes.apply(tx, ctx, row, change, { kind: 'update', message })
        if (after === null) return toWire<B>(row)
        const made = after.version === row.version ? '' : `, now ${labelOf(after.version)}`
        const summary = isMoved
          ? `Moved the ${noun} ${row.key} from ${row.slug} to ${after.slug}${made}`
          : `Changed the ${noun} ${row.key}${made}`
        return recorded(tx, ctx, 'update', summary, { before: row, after }, message)
      })
    },

    remove(ctx: Context, id: string, ifMatch: string | null): Promise<{ ok: true }> {
      return db.write(
        async (tx) => {
          const row = await requiredState(tx.q, id, ifMatch)
          await store.erase(tx.q, id)
          await history.record(tx, ctx, {
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
    },

    duplicate(ctx: Context, id: string, body: z.output<typeof DuplicateBody>): Promise<Said & B> {
      return db.write(async (tx) => {
        const row = await required(tx.q, id)
        const workspace = await requiredWorkspace(tx.q, body?.workspace_id ?? row.workspace_id)
        const isBeside = workspace.id === row.workspace_id
        const isTaken = async (candidate: string) =>
          (await store.findAt(tx.q, workspace.id, candidate)) !== undefined
        const key = body?.key ?? (isBeside ? await freeKey(row.key, 'copy', isTaken) : row.key)
        await requireFree(tx.q, workspace, key)
        const name = body?.name ?? (isBeside ? `${row.name} (copy)`.slice(0, 200) : row.name)
        const { description } = row
        const given = { id: newId(), workspace, key, name, description, behaviour: behaviourOf<B>(row) }
        const after = await changes.add(tx, ctx, given, { kind: 'create', message: `Copied from ${row.key}` })
        return recorded(tx, ctx, 'create', `Created the ${noun} ${key}, copied from ${row.key}`, { after })
      })
    },

    async versions(_ctx: Context, id: string, query: z.output<typeof ListDefinitionVersionsQuery>) {
      const row = await required(db.read, id)
      const plan = planPage(query, versionOrder(query.sort ?? '-version'))
      const { rows, total } = await store.listVersions(db.read, id, plan)
      const keyOf = (version: (typeof rows)[number]) => [version.version]
      return toPage(plan, rows, total, keyOf, (version) => versionToWire<B>(version, row.version))
    },

    async version(_ctx: Context, id: string, version: number) {
      const row = await required(db.read, id)
      const found = await store.findVersion(db.read, id, version)
      if (found === undefined) throw fail('not_found', { detail: `There is no ${labelOf(version)}.` })
      return versionToWire<B>(found, row.version)
    },

    rollback(
      ctx: Context,
      id: string,
      { version: named, message = '' }: z.output<typeof RollbackDefinitionBody>,
      ifMatch: string | null,
    ): Promise<Said & B> {
      return db.write(async (tx) => {
        const row = await requiredState(tx.q, id, ifMatch)
        const version = versionNumber(named)
        const target = version === null ? undefined : await store.findVersion(tx.q, id, version)
        if (version === null || target === undefined)
          throw fail('not_found', {
            detail: `There is no version ${named}; the newest is ${labelOf(row.version)}.`,
          })
        if (version === row.version) throw invalid('version', `${labelOf(version)} is what runs already`)
        const { name, description } = row
        const workspace = await requiredWorkspace(tx.q, row.workspace_id)
        const change = { workspace, name, description, behaviour: behaviourOf<B>(target) }
        const origin = { kind: 'rollback', message, from: version } as const
        const after = await changes.apply(tx, ctx, row, change, origin)
        if (after === null) throw new Error('A rollback always makes a version')
        const summary = `Rolled the ${noun} ${row.key} back to ${labelOf(version)}, as ${labelOf(after.version)}`
        return recorded(tx, ctx, 'rollback', summary, { before: row, after }, message)
      })
    },
  }
}

export type Definitions<B> = ReturnType<typeof createDefinitions<B>>
