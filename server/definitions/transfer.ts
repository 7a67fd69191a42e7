import { z } from 'zod'
import type { DefinitionFormat, DefinitionImportReport } from '../../contract/definitions/definition.ts'
import { PromptDescription, PromptName } from '../../contract/prompts/prompt.ts'
import { PromptKey } from '../../contract/resources/key.ts'
import type { Query, Tx } from '../db/types.ts'
import type { Context } from '../lib/context.ts'
import type { Download } from '../lib/download.ts'
import { Problem } from '../lib/fail.ts'
import { exportFile, readInChunks, writeJsonList } from '../resources/transfer/export.ts'
import { importItems, importMessage } from '../resources/transfer/import.ts'
import type { Decision, ImportKind, ItemToDecide, PlannedChange } from '../resources/transfer/kind.ts'
import { labelOf } from '../resources/versions.ts'
import { writeYamlList } from '../resources/yaml-list.ts'
import { addDefinition, applyChange, type Change, type Definitions, recordChange } from './changes.ts'
import type { DefinitionRow } from './definitions.store.ts'
import { behaviourOf } from './kind.ts'
import type { ImportBody, ReadDefinitions } from './transfer.files.ts'

/**
 * The fields that all definitions share; the rest is the behaviour. Fields that the service sets are ignored.
 */
const Head = z.object({
  key: PromptKey,
  name: PromptName.nullish(),
  description: PromptDescription.nullish(),
})
type Fields = z.output<typeof Head>

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

/**
 * Export and import of definitions. An import is one transaction; each imported definition has an audit
 * entry.
 */
export function createTransfer<B>(
  definitions: Definitions<B> & { readonly readFiles: ReadDefinitions },
  importer: Importer<B>,
) {
  const { noun } = definitions.kind
  const kind: ImportKind<Fields, DefinitionRow, Change<B>, object> = {
    fields: Head,
    placeOf: ({ key }) => ({ key, env: null }),
    extraOf: () => ({}),
    find: async (q, workspace, { key }) => (await definitions.store.findAt(q, workspace.id, key)) ?? null,
    decide: (q, item) => decide(importer, q, item),
    writeItem: (tx, ctx, plan) => writeItem(definitions, tx, ctx, plan),
  }
  return {
    export(ctx: Context, format: DefinitionFormat, ids: readonly string[]): Download {
      const items = exportedItems(definitions, importer, ids)
      const chunks =
        format === 'yaml'
          ? writeYamlList(`${noun}s`, items)
          : writeJsonList(`{"format":"promptdeck","${noun}s":`, items)
      const contentType = `application/${format}; charset=utf-8`
      const file = { ending: format, contentType, chunks }
      return exportFile(definitions, ctx, { noun, count: ids.length, format }, file)
    },

    async import(ctx: Context, body: ImportBody): Promise<DefinitionImportReport> {
      return importItems(definitions.db, ctx, kind, body, await definitions.readFiles(ctx, body, noun))
    },
  }
}

async function* exportedItems<B>(
  { db, store }: Definitions<B>,
  { write }: Importer<B>,
  ids: readonly string[],
): AsyncGenerator<Readonly<Record<string, unknown>>> {
  for await (const row of readInChunks(ids, (chunk) => store.findAll(db.read, chunk))) {
    const { key, name, description } = row
    yield { key, name, description, ...write(behaviourOf<B>(row)) }
  }
}

async function decide<B>(
  { read, notes }: Importer<B>,
  q: Query,
  { fields, placed, existing, workspace }: ItemToDecide<Fields, DefinitionRow>,
): Promise<Decision<Change<B>, object>> {
  const parsed = parseBehaviour(read, placed.fields, existing && behaviourOf<B>(existing))
  if ('errors' in parsed) return parsed
  const { behaviour } = parsed
  const change: Change<B> = {
    workspace,
    name: fields.name ?? existing?.name ?? fields.key,
    description: fields.description ?? existing?.description ?? '',
    behaviour,
  }
  const differing = existing === null ? [] : differences(existing, change)
  const isSameBehaviour = existing !== null && existing.body === JSON.stringify(behaviour)
  const keepsVersion = isSameBehaviour || (existing !== null && differing.length === 0)
  return {
    change,
    differing,
    version: keepsVersion ? null : (existing?.version ?? 0) + 1,
    notes: await notes(q, behaviour, workspace.id),
    extra: {},
  }
}

function parseBehaviour<B>(
  read: Importer<B>['read'],
  fields: Readonly<Record<string, unknown>>,
  before: B | null,
): { readonly behaviour: B } | Extract<Decision<B, object>, { readonly errors: unknown }> {
  try {
    return { behaviour: read(fields, before) }
  } catch (error) {
    if (!(error instanceof Problem) || error.code !== 'request.invalid') throw error
    return { errors: error.extra.errors ?? [{ path: '', message: error.message }] }
  }
}

function differences<B>(existing: DefinitionRow, { name, description, behaviour }: Change<B>): string[] {
  const before = behaviourOf<Readonly<Record<string, unknown>>>(existing)
  const head = Object.entries({ name, description }).filter(
    ([field, value]) => existing[field as 'name' | 'description'] !== value,
  )
  const other = Object.entries(behaviour as Readonly<Record<string, unknown>>).filter(
    ([field, value]) => JSON.stringify(before[field]) !== JSON.stringify(value),
  )
  return [...head, ...other].map(([field]) => field)
}

/** Writes one definition of the import, with its audit entry. Returns its id. */
async function writeItem<B>(
  definitions: Definitions<B>,
  tx: Tx,
  ctx: Context,
  { existing, place: { key }, placed, change }: PlannedChange<DefinitionRow, Change<B>>,
): Promise<string> {
  const { noun } = definitions.kind
  const origin = { kind: 'import', message: importMessage(placed) } as const
  const after =
    existing === null
      ? await addDefinition(definitions, tx, ctx, { id: definitions.newId(), key, ...change }, origin)
      : await applyChange(definitions, tx, ctx, existing, change, origin)
  if (after === null) throw new Error(`The ${noun} ${key} was planned to change and does not`)
  const summary = `Imported the ${noun} ${key}, ${labelOf(after.version)}`
  if (existing === null) await recordChange(definitions, tx, ctx, { action: 'create', summary, after })
  else await recordChange(definitions, tx, ctx, { action: 'update', summary, before: existing, after })
  return after.id
}
