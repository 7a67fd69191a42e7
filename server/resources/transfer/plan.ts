import { maxKeyLength } from '../../../contract/common/fields.ts'
import type { FieldError } from '../../../contract/common/problem.ts'
import type { ImportedDefinition } from '../../../contract/definitions/definition.ts'
import type { WorkspacesTable } from '../../db/schema/workspaces.ts'
import type { Query } from '../../db/types.ts'
import type { Scope } from '../../lib/context.ts'
import { emptyAsAbsent } from '../../lib/empty-as-absent.ts'
import { flatIssues } from '../../lib/flat-issues.ts'
import { type Place, placeName } from '../keys.ts'
import { requiredWorkspace } from '../required-workspace.ts'
import { labelOf } from '../versions.ts'
import type { PlacedItem } from './files.ts'
import type { ImportKind, ImportOptions, Plan } from './kind.ts'

type Stored = { readonly id: string }

/** Determines the outcome for every item from the current state. Writes nothing. */
export async function planImport<Fields, Row extends Stored, Change, Extra>(
  q: Query,
  scope: Scope,
  kind: ImportKind<Fields, Row, Change, Extra>,
  options: ImportOptions,
  placed: readonly PlacedItem[],
): Promise<readonly Plan<Row, Change, Extra>[]> {
  const workspace = await requiredWorkspace(q, scope, options.workspace_id)
  const seen = new Set<string>()
  const plans: Plan<Row, Change, Extra>[] = []
  for (const item of placed) plans.push(await planItem(q, kind, { options, workspace, seen }, item))
  return plans
}

type Import = {
  readonly options: ImportOptions
  readonly workspace: WorkspacesTable
  /** Places of earlier items. */
  readonly seen: Set<string>
}

async function planItem<Fields, Row extends Stored, Change, Extra>(
  q: Query,
  kind: ImportKind<Fields, Row, Change, Extra>,
  { options, workspace, seen }: Import,
  placed: PlacedItem,
): Promise<Plan<Row, Change, Extra>> {
  const parsed = parseItem(kind, options, placed)
  if ('errors' in parsed) return refused(kind, placed, null, parsed.errors)
  const { fields } = parsed
  const place = kind.placeOf(fields)
  if (seen.has(JSON.stringify(place))) return refused(kind, placed, place, [duplicateKey(place)])
  seen.add(JSON.stringify(place))
  const existing = await kind.find(q, workspace, place)
  if (existing !== null && options.existing === 'refuse')
    return refused(kind, placed, place, [keyExists(place, workspace)])
  const plan = { placed, place, existing }
  const item = { ...blankItem(placed), ...kind.extraOf(place), key: place.key, id: existing?.id ?? null }
  if (existing !== null && options.existing === 'skip')
    return { ...plan, item: { ...item, notes: [...placed.notes], outcome: 'skip' }, change: null }
  const decision = await kind.decide(q, { fields, placed, place, existing, workspace })
  if ('errors' in decision) return refused(kind, placed, place, decision.errors)
  const { differing, version, change, notes, extra } = decision
  const isUpdate = differing.length > 0 || version !== null
  const outcome = existing === null ? 'create' : isUpdate ? 'update' : 'unchanged'
  const described = { changes: [...differing], version: version === null ? null : labelOf(version) }
  return {
    ...plan,
    item: { ...item, ...extra, ...described, notes: [...placed.notes, ...notes], outcome },
    change: outcome === 'unchanged' ? null : change,
  }
}

/** Parses the fields of an item. The prefix of the import precedes its key. */
function parseItem<Fields>(
  { fields: schema }: Pick<ImportKind<Fields, never, never, never>, 'fields'>,
  { prefix }: ImportOptions,
  { fields }: PlacedItem,
): { readonly fields: Fields } | { readonly errors: readonly FieldError[] } {
  const { key: fileKey } = fields
  const key = prefix !== undefined && typeof fileKey === 'string' ? `${prefix}/${fileKey}` : fileKey
  const parsed = schema.safeParse(emptyAsAbsent(schema)({ ...fields, key }))
  if (parsed.success) return { fields: parsed.data }
  const issues = parsed.error.issues.flatMap(flatIssues)
  return { errors: issues.map(({ path, message }) => ({ path: path.join('.'), message })) }
}

const blankItem = ({ file, index, fields: { key } }: PlacedItem) => ({
  file,
  index,
  key: typeof key === 'string' ? key.slice(0, maxKeyLength) : null,
  changes: [],
  version: null,
  errors: [],
  id: null,
})

function refused<Extra>(
  { extraOf }: Pick<ImportKind<never, never, never, Extra>, 'extraOf'>,
  placed: PlacedItem,
  place: Place | null,
  errors: readonly FieldError[],
): Plan<never, never, Extra> {
  const blank = blankItem(placed)
  const item: ImportedDefinition & Extra = {
    ...blank,
    ...extraOf(place),
    key: place?.key ?? blank.key,
    notes: [...placed.notes],
    outcome: 'refuse',
    errors: [...errors],
  }
  return { item, placed, place: place ?? { key: '', env: null }, existing: null, change: null }
}

const duplicateKey = ({ env }: Place): FieldError => ({
  path: 'key',
  message: `Duplicate key in this import${env === null ? '' : `, in ${env}`}`,
})
const keyExists = ({ env }: Place, workspace: WorkspacesTable): FieldError => ({
  path: 'key',
  message: `Already exists in ${placeName(env, workspace)}`,
})
