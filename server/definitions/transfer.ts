import { z } from 'zod'
import { maxKeyLength } from '../../contract/common.ts'
import type {
  DefinitionFormat,
  DefinitionImportReport,
  ImportedDefinition,
} from '../../contract/definition.ts'
import type { FieldError } from '../../contract/problem.ts'
import { PromptDescription, PromptKey, PromptName } from '../../contract/prompt.ts'
import type { Query, Tx } from '../db/types.ts'
import type { Context } from '../lib/context.ts'
import type { Download } from '../lib/download.ts'
import { emptyAsAbsent } from '../lib/empty-as-absent.ts'
import { fail, Problem } from '../lib/fail.ts'
import { writeYamlList } from '../resources/yaml-list.ts'
import { requiredWorkspace } from './changes.ts'
import type { DefinitionRow, Workspace } from './definitions.store.ts'
import type { Definitions, DefinitionsDeps } from './definitions.ts'
import { behaviourOf, type Kind, labelOf } from './kind.ts'
import type { ImportBody, Placed } from './transfer.files.ts'
import { writeJson } from './transfer.write.ts'

const perChunk = 100
/** Items after which the import yields to the event loop. */
const breath = 20

/**
 * The fields that all definitions share; the rest is the behaviour. Fields that the service sets are ignored.
 */
const Head = z.object({
  key: PromptKey,
  name: PromptName.nullish(),
  description: PromptDescription.nullish(),
})

export type Importer<B> = {
  /**
   * Returns the item's fields applied to the current behaviour. Throws a `Problem` that names each invalid
   * field.
   */
  readonly read: (fields: Readonly<Record<string, unknown>>, before: B | null) => B
  /** Returns remarks for a person to check before the definition runs. */
  readonly notes: (q: Query, behaviour: B, workspaceId: string) => Promise<string[]>
  /** Returns the fields of the behaviour that a file contains. */
  readonly write: (behaviour: B) => Readonly<Record<string, unknown>>
}

type Plan<B> = {
  readonly item: ImportedDefinition
  readonly placed: Placed
  readonly existing: DefinitionRow | null
  readonly given: {
    readonly key: string
    readonly name: string
    readonly description: string
    readonly behaviour: B
  } | null
}

/**
 * Export and import of definitions. An import is one transaction; each imported definition has an audit
 * entry.
 */
export function createTransfer<B>(
  { db, history, newId, readFiles }: DefinitionsDeps,
  kind: Kind<B>,
  { changes, recorded }: Definitions<B>,
  importer: Importer<B>,
) {
  const { noun } = kind
  const { store } = changes

  async function planItem(
    q: Query,
    body: ImportBody,
    workspace: Workspace,
    placed: Placed,
    seen: Set<string>,
  ): Promise<Plan<B>> {
    const { file, index, fields } = placed
    const { key: rawKey } = fields
    const shown = typeof rawKey === 'string' ? rawKey.slice(0, maxKeyLength) : null
    const base = { file, index, key: shown, changes: [], version: null, notes: [], errors: [], id: null }
    const refused = (errors: readonly FieldError[]): Plan<B> => ({
      item: { ...base, outcome: 'refuse', errors: [...errors] },
      placed,
      existing: null,
      given: null,
    })
    const key = body.prefix !== undefined && typeof rawKey === 'string' ? `${body.prefix}/${rawKey}` : rawKey
    const head = Head.safeParse(emptyAsAbsent(Head)({ ...fields, key }))
    if (!head.success)
      return refused(head.error.issues.map(({ path, message }) => ({ path: path.join('.'), message })))
    const at = { ...base, key: head.data.key }
    if (seen.has(head.data.key)) return refused([{ path: 'key', message: 'Twice in this import' }])
    seen.add(head.data.key)
    const existing = (await store.findAt(q, workspace.id, head.data.key)) ?? null
    if (existing !== null && body.existing === 'refuse')
      return refused([{ path: 'key', message: `Taken in the workspace ${workspace.name}` }])
    if (existing !== null && body.existing === 'skip')
      return { item: { ...at, outcome: 'skip', id: existing.id }, placed, existing, given: null }

    const before = existing && behaviourOf<B>(existing)
    let behaviour: B
    try {
      behaviour = importer.read(fields, before)
    } catch (error) {
      if (!(error instanceof Problem) || error.code !== 'request.invalid') throw error
      return refused(error.extra.errors ?? [{ path: '', message: error.message }])
    }
    const given = {
      key: head.data.key,
      name: head.data.name ?? existing?.name ?? head.data.key,
      description: head.data.description ?? existing?.description ?? '',
      behaviour,
    }
    const differing = existing === null ? [] : differences(existing, given)
    const isOther = existing === null || existing.body !== JSON.stringify(behaviour)
    const item: ImportedDefinition = {
      ...at,
      outcome: existing === null ? 'create' : differing.length > 0 ? 'update' : 'unchanged',
      changes: differing,
      version: isOther ? labelOf((existing?.version ?? 0) + 1) : null,
      notes: await importer.notes(q, behaviour, workspace.id),
      id: existing?.id ?? null,
    }
    return { item, placed, existing, given }
  }

  async function planAll(q: Query, body: ImportBody, placed: readonly Placed[]): Promise<Plan<B>[]> {
    const workspace = await requiredWorkspace(q, body.workspace_id)
    const seen = new Set<string>()
    const plans: Plan<B>[] = []
    for (const one of placed) plans.push(await planItem(q, body, workspace, one, seen))
    return plans
  }

  async function carryOut(tx: Tx, ctx: Context, workspace: Workspace, plan: Plan<B>): Promise<Plan<B>> {
    const { item, existing, given, placed } = plan
    if (given === null || item.outcome === 'unchanged') return plan
    const origin = { kind: 'import', message: `Imported from ${placed.file}`.slice(0, 1000) } as const
    const after =
      existing === null
        ? await changes.add(tx, ctx, { id: newId(), workspace, ...given }, origin)
        : await changes.apply(tx, ctx, existing, { workspace, ...given }, origin)
    if (after === null) throw new Error(`The ${noun} ${given.key} was planned to change and does not`)
    const summary = `Imported the ${noun} ${given.key}, ${labelOf(after.version)}`
    if (existing === null) await recorded(tx, ctx, 'create', summary, { after })
    else await recorded(tx, ctx, 'update', summary, { before: existing, after })
    return { ...plan, item: { ...item, id: after.id } }
  }

  async function* read(ids: readonly string[]): AsyncGenerator<Readonly<Record<string, unknown>>> {
    for (let from = 0; from < ids.length; from += perChunk) {
      for (const row of await store.findAll(db.read, ids.slice(from, from + perChunk))) {
        const { key, name, description } = row
        yield { key, name, description, ...importer.write(behaviourOf<B>(row)) }
      }
    }
  }

  return {
    async export(ctx: Context, format: DefinitionFormat, ids: readonly string[]): Promise<Download> {
      // Record the export before the first byte, so that it is in the audit log even if it does not finish.
      await db.write(
        (tx) =>
          history.record(tx, ctx, {
            action: 'export',
            resource: noun,
            resourceId: null,
            key: null,
            summary: `Exported ${ids.length} ${noun}s as ${format}`,
          }),
        { evenWhenFull: true },
      )
      return {
        filename: `${noun}s-${ctx.now.toISOString().slice(0, 10)}.${format}`,
        contentType: `application/${format}; charset=utf-8`,
        chunks: format === 'yaml' ? writeYamlList(`${noun}s`, read(ids)) : writeJson(noun, read(ids)),
      }
    },

    async import(ctx: Context, body: ImportBody): Promise<DefinitionImportReport> {
      const placed = await readFiles(ctx, body, noun)
      if (body.preview) return reportOf(await planAll(db.read, body, placed), true)
      return db.write(
        async (tx) => {
          const plans = await planAll(tx.q, body, placed)
          refuseAll(plans)
          const workspace = await requiredWorkspace(tx.q, body.workspace_id)
          const done: Plan<B>[] = []
          for (const [index, plan] of plans.entries()) {
            done.push(await carryOut(tx, ctx, workspace, plan))
            if (index % breath === breath - 1) await new Promise((resolve) => setImmediate(resolve))
          }
          return reportOf(done, false)
        },
        { isLong: true },
      )
    },
  }
}

function differences<B>(
  existing: DefinitionRow,
  given: { readonly name: string; readonly description: string; readonly behaviour: B },
): string[] {
  const before = behaviourOf<Readonly<Record<string, unknown>>>(existing)
  const told = (['name', 'description'] as const).filter((name) => existing[name] !== given[name])
  const other = Object.entries(given.behaviour as Readonly<Record<string, unknown>>)
    .filter(([name, value]) => JSON.stringify(before[name]) !== JSON.stringify(value))
    .map(([name]) => name)
  return [...told, ...other]
}

/** Throws a problem with the reason for each refused item: one refused item refuses the import. */
function refuseAll<B>(plans: readonly Plan<B>[]): void {
  const errors = plans.flatMap(({ item, placed }) =>
    item.errors.map(({ path, message }) => ({
      path: `files.${placed.number}.${item.index}.${path}`,
      message: `${item.key ?? `item ${item.index}`} in ${item.file}: ${message}`,
    })),
  )
  const [first] = errors
  if (first === undefined) return
  const more = errors.length > 1 ? ` (and ${errors.length - 1} more)` : ''
  throw fail('request.invalid', { detail: `Nothing was imported. ${first.message}${more}`, errors })
}

function reportOf<B>(plans: readonly Plan<B>[], preview: boolean): DefinitionImportReport {
  const count = (outcome: string) => plans.filter(({ item }) => item.outcome === outcome).length
  return {
    preview,
    created: count('create'),
    updated: count('update'),
    unchanged: count('unchanged'),
    skipped: count('skip'),
    refused: count('refuse'),
    items: plans.map(({ item }) => item),
  }
}
