import { z } from 'zod'
import {
  Category,
  Content,
  Environment,
  MessagesInput,
  Model,
  PromptDescription,
  PromptName,
  TagsInput,
  VariablesInput,
} from '../../../../contract/prompts/prompt.ts'
import { PromptType } from '../../../../contract/prompts/prompt-chat.ts'
import { ParamsInput } from '../../../../contract/prompts/prompt-params.ts'
import type { ImportedItem } from '../../../../contract/prompts/prompt-transfer.ts'
import { PromptKey } from '../../../../contract/resources/key.ts'
import type { Context } from '../../../lib/context.ts'
import type { Decision, ImportKind, ItemToDecide } from '../../../resources/transfer/kind.ts'
import type { ImportBody } from '../formats/raw.ts'
import {
  type BodyFields,
  bodyOf,
  isEmptyBody,
  isSameBody,
  messagesOf,
  paramsOf,
  typeOf,
  variablesOf,
  withSameText,
} from '../state/body.ts'
import type { Change } from '../state/changes.ts'
import { type ContentResult, changedContent } from '../state/content.ts'
import { protectionMessage } from '../state/policy.ts'
import { findWhole, idAt, type WholeRow, type Workspace } from '../state/prompts.store.ts'
import { draftOf, servedOf } from '../state/prompts.wire.ts'

/** The fields of an item that are read; others in the file are ignored. */
const Item = z
  .object({
    key: PromptKey,
    env: Environment.nullish(),
    name: PromptName.nullish(),
    description: PromptDescription.nullish(),
    category: Category.nullish(),
    tags: TagsInput.nullish(),
    model: Model.nullish(),
    type: PromptType.nullish(),
    content: Content.optional(),
    messages: MessagesInput.nullish(),
    params: ParamsInput.nullish(),
    variables: VariablesInput.nullish(),
    version: z.unknown().optional(),
  })
  .refine(({ content, messages }) => content !== undefined || messages != null, {
    path: ['content'],
    message: 'Set `content` or `messages`',
  })
type Fields = z.output<typeof Item>
type Extra = Pick<ImportedItem, 'env' | 'changes' | 'after'>
export type ImportedChange = {
  readonly change: Change
  readonly env: WholeRow['env']
  readonly isPublished: boolean
}
export type PromptImport = ImportKind<Fields, WholeRow, ImportedChange, Extra>

/** Returns the description of an import of prompts, without the part that writes. */
export function promptImport(ctx: Context, body: ImportBody): Omit<PromptImport, 'writeItem'> {
  const envOf = ({ env }: Pick<Fields, 'env'>) => env ?? body.env ?? 'dev'
  return {
    fields: Item,
    placeOf: (fields) => ({ key: fields.key, env: envOf(fields) }),
    extraOf: (place) => ({ env: place?.env ?? null, changes: [], after: null }),
    async find(q, { id: workspaceId }, { key, env }) {
      const id = env === null ? undefined : await idAt(q, { workspaceId, key, env })
      return id === undefined ? null : ((await findWhole(q, id)) ?? null)
    },
    decide: async (_q, item) => decide(ctx, body, envOf(item.fields), item),
  }
}

function decide(
  ctx: Context,
  body: ImportBody,
  env: WholeRow['env'],
  { fields, placed, existing, workspace }: ItemToDecide<Fields, WholeRow>,
): Decision<ImportedChange, Extra> {
  const content = contentOf(fields)
  if ('error' in content) return { errors: [content.error] }
  const change = changeOf(fields, content, existing, workspace)
  // An exported draft remains a draft; what was published elsewhere may be published here.
  const isRequested = body.publish && fields.version !== null
  const served = existing && servedOf(existing)
  const isPublished = isRequested && (served === null || !isSameBody(served, change.body))
  if (isPublished) {
    const message = protectionMessage(ctx, workspace, env)
    if (message !== null) return { errors: [{ path: 'env', message }] }
    if (isEmptyBody(change.body)) return { errors: [{ path: 'content', message: 'The content is empty' }] }
  }
  const differing = existing === null ? [] : differences(existing, change)
  return {
    change: { change, env, isPublished },
    differing,
    version: isPublished ? (existing?.version ?? 0) + 1 : null,
    notes: notesOf(placed.fields, change.body.content),
    extra: {
      env,
      changes: differing,
      after: body.preview && differing.length > 0 ? pick(change, differing) : null,
    },
  }
}

/** Returns what the import of an item leaves out. */
function notesOf(fields: ItemToDecide<Fields, WholeRow>['placed']['fields'], content: string): string[] {
  const hasOtherText =
    fields['messages'] != null && typeof fields['content'] === 'string' && fields['content'] !== content
  return [
    ...(fields['draft'] === undefined
      ? []
      : ['Only the published version is imported; the draft in the file is ignored']),
    ...(hasOtherText ? ['The content differs from the messages: the messages are imported'] : []),
  ]
}

/** Returns the text or the messages of an item. They replace the existing ones, whatever their type. */
function contentOf({ type, content, messages }: Fields): ContentResult {
  if (messages == null) return changedContent({ type: type ?? 'text', content }, null)
  return changedContent({ type: type ?? 'chat', messages }, null)
}

const bodiesOf = (row: WholeRow | null) => (row === null ? [] : [draftOf(row), servedOf(row)])

/** Returns the item's fields applied to the current prompt; absent fields keep their value. */
function changeOf(
  item: Fields,
  content: Pick<BodyFields, 'content' | 'messages'>,
  existing: WholeRow | null,
  workspace: Workspace,
): Change {
  const draft = existing && draftOf(existing)
  const tags: string[] = existing === null ? [] : JSON.parse(existing.tags)
  return {
    workspace,
    name: item.name ?? existing?.name ?? item.key,
    description: item.description ?? existing?.description ?? '',
    category: item.category === undefined ? (existing?.category ?? null) : item.category,
    tags: item.tags ?? tags,
    body: bodyOf({
      ...content,
      unchanged: withSameText(content, bodiesOf(existing)),
      model: item.model === undefined ? (draft?.model ?? null) : item.model,
      params: item.params === undefined ? (draft ? paramsOf(draft) : {}) : (item.params ?? {}),
      variables: item.variables ?? (draft ? variablesOf(draft) : []),
    }),
  }
}

type Field = keyof NonNullable<ImportedItem['after']>

/** Returns the new values of the given fields, for comparison with the current ones. */
function pick({ body, ...change }: Change, fields: readonly Field[]): ImportedItem['after'] {
  const after = {
    ...change,
    ...body,
    tags: [...change.tags],
    type: typeOf(body),
    messages: messagesOf(body),
    params: paramsOf(body),
    variables: variablesOf(body),
  }
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
    type: (before.messages === null) !== (body.messages === null),
    content: before.content !== body.content,
    messages: before.messages !== body.messages,
    model: before.model !== body.model,
    params: before.params !== body.params,
    variables: before.variables !== body.variables && before.content === body.content,
  }
  return (Object.keys(differs) as Field[]).filter((field) => differs[field])
}
