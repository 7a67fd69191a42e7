import { z } from 'zod'
import { maxKeyLength } from '../../../contract/common.ts'
import {
  Category,
  Content,
  Environment,
  Model,
  PromptDescription,
  PromptKey,
  PromptName,
  TagsInput,
  VariablesInput,
} from '../../../contract/prompt.ts'
import type { ImportedItem, ImportPromptsBody } from '../../../contract/prompt-transfer.ts'
import type { Query } from '../../db/types.ts'
import type { Context } from '../../lib/context.ts'
import { emptyAsAbsent } from '../../lib/empty-as-absent.ts'
import { bodyOf, isSameBody, variablesOf } from './body.ts'
import type { Change } from './changes.ts'
import type { RawItem } from './formats/raw.ts'
import { protection } from './policy.ts'
import { findWhole, idAt, type WholeRow, type Workspace } from './prompts.store.ts'
import { draftOf, labelOf, servedOf } from './prompts.wire.ts'

export type ImportBody = z.output<typeof ImportPromptsBody>

/** The fields of an item that are read; others in the file are ignored. */
const Item = z.object({
  key: PromptKey,
  env: Environment.nullish(),
  name: PromptName.nullish(),
  description: PromptDescription.nullish(),
  category: Category.nullish(),
  tags: TagsInput.nullish(),
  model: Model.nullish(),
  content: Content,
  variables: VariablesInput.nullish(),
  version: z.unknown().optional(),
})

export type Placed = { readonly file: string; readonly index: number; readonly raw: RawItem }

/** The outcome for an item, and the data to carry it out. */
export type Plan = {
  readonly item: ImportedItem
  readonly existing: WholeRow | null
  readonly change: Change | null
  readonly key: string
  readonly env: z.output<typeof Environment>
  readonly isPublished: boolean
}

/** Determines the outcome for one item from the current state. Writes nothing. */
export async function planItem(
  q: Query,
  ctx: Context,
  given: {
    readonly placed: Placed
    readonly body: ImportBody
    readonly workspace: Workspace
    readonly seen: Set<string>
  },
): Promise<Plan> {
  const { placed, body, workspace, seen } = given
  const { file, index, raw } = placed
  const shownKey = typeof raw.fields['key'] === 'string' ? raw.fields['key'].slice(0, maxKeyLength) : null
  const base = {
    file,
    index,
    key: shownKey,
    env: null,
    changes: [],
    after: null,
    version: null,
    notes: [...raw.notes],
    id: null,
  }
  const refused = (errors: ImportedItem['errors'], at: Partial<ImportedItem> = {}): Plan => ({
    item: { ...base, ...at, outcome: 'refuse', errors },
    existing: null,
    change: null,
    key: '',
    env: 'dev',
    isPublished: false,
  })

  const { key: rawKey } = raw.fields
  const key = body.prefix !== undefined && typeof rawKey === 'string' ? `${body.prefix}/${rawKey}` : rawKey
  const parsed = Item.safeParse(emptyAsAbsent(Item)({ ...raw.fields, key }))
  if (!parsed.success) {
    return refused(parsed.error.issues.map(({ path, message }) => ({ path: path.join('.'), message })))
  }
  const item = parsed.data
  const env = item.env ?? body.env ?? 'dev'
  const at = { key: item.key, env }
  const place = JSON.stringify(at)
  if (seen.has(place)) return refused([{ path: 'key', message: `Twice in this import, in ${env}` }], at)
  seen.add(place)

  const id = await idAt(q, { workspaceId: workspace.id, key: item.key, env })
  const existing = id === undefined ? null : ((await findWhole(q, id)) ?? null)
  if (existing !== null && body.existing === 'refuse')
    return refused([{ path: 'key', message: `Taken in ${env} of the workspace ${workspace.name}` }], at)
  if (existing !== null && body.existing === 'skip') {
    const skipped: ImportedItem = { ...base, ...at, outcome: 'skip', errors: [], id: existing.id }
    return { item: skipped, existing, change: null, ...at, isPublished: false }
  }

  const change = changeOf(item, existing, workspace)
  // An exported draft remains a draft; what was published elsewhere may be published here.
  const wants = body.publish && item.version !== null
  const served = existing && servedOf(existing)
  const isPublished = wants && (served === null || !isSameBody(served, change.body))
  if (isPublished) {
    const why = protection(ctx, workspace, env)
    if (why !== null) return refused([{ path: 'env', message: why }], at)
    if (change.body.content.trim() === '') return refused([{ path: 'content', message: 'It is empty' }], at)
  }
  const changes = existing === null ? [] : differences(existing, change)
  const version = isPublished ? labelOf((existing?.version ?? 0) + 1) : null
  const outcome = existing === null ? 'create' : changes.length > 0 || isPublished ? 'update' : 'unchanged'
  const notes = [...raw.notes]
  if (raw.fields['draft'] !== undefined) notes.push('Its draft stays behind: what was published comes')
  const told: ImportedItem = {
    ...base,
    ...at,
    outcome,
    changes,
    after: body.preview && changes.length > 0 ? pick(change, changes) : null,
    version,
    notes,
    errors: [],
    id: existing?.id ?? null,
  }
  return { item: told, existing, change, ...at, isPublished }
}

/** Returns the item's fields applied to the current prompt; absent fields keep their value. */
function changeOf(item: z.output<typeof Item>, existing: WholeRow | null, workspace: Workspace): Change {
  const draft = existing && draftOf(existing)
  const tags: string[] = existing === null ? [] : JSON.parse(existing.tags)
  return {
    workspace,
    name: item.name ?? existing?.name ?? item.key,
    description: item.description ?? existing?.description ?? '',
    category: item.category === undefined ? (existing?.category ?? null) : item.category,
    tags: item.tags ?? tags,
    body: bodyOf(
      item.content,
      item.model === undefined ? (draft?.model ?? null) : item.model,
      item.variables ?? (draft ? variablesOf(draft) : []),
    ),
  }
}

type Field = keyof NonNullable<ImportedItem['after']>

/** Returns the new values of the given fields, for comparison with the current ones. */
function pick({ body, ...change }: Change, fields: readonly Field[]): ImportedItem['after'] {
  const after = { ...change, ...body, tags: [...change.tags], variables: variablesOf(body) }
  return Object.fromEntries(fields.map((field) => [field, after[field]]))
}

function differences(existing: WholeRow, change: Change): Field[] {
  const before = draftOf(existing)
  const { body } = change
  const differs: Record<Field, boolean> = {
    name: existing.name !== change.name,
    description: existing.description !== change.description,
    category: existing.category !== change.category,
    tags: existing.tags !== JSON.stringify(change.tags),
    content: before.content !== body.content,
    model: before.model !== body.model,
    variables: before.variables !== body.variables && before.content === body.content,
  }
  return (Object.keys(differs) as Field[]).filter((field) => differs[field])
}
