import { folderOf } from '../../../../contract/prompts/prompt.ts'
import type { PromptsTable, PromptVersionsTable } from '../../../db/schema/schema.ts'
import type { Query, Tx } from '../../../db/types.ts'
import type { Context } from '../../../lib/context.ts'
import { invalid } from '../../../lib/fail.ts'
import { fold } from '../../../lib/text/search.ts'
import { firstState, nextState, versionState } from '../../../resources/changes.ts'
import { dropDraft, insertVersion, putDraft } from './bodies.store.ts'
import { type Body, isEmptyBody, isSameBody, searchText } from './body.ts'
import { requireIncludersResolvable } from './includers.ts'
import { storeIncludes } from './includes.store.ts'
import {
  findWhole,
  insertPrompt,
  setTags,
  updatePrompt,
  type WholeRow,
  type Workspace,
} from './prompts.store.ts'
import { draftOf, servedOf } from './prompts.wire.ts'
import { requireResolvable } from './resolve.ts'
import { indexPrompt } from './words.store.ts'

export type NewPrompt = {
  readonly id: string
  readonly workspace: Workspace
  readonly key: string
  readonly env: PromptsTable['env']
  readonly name: string
  readonly description: string
  readonly category: string | null
  readonly tags: readonly string[]
  readonly body: Body
}

export type Origin = Pick<PromptVersionsTable, 'kind' | 'message'> & {
  readonly from?: { readonly env: PromptsTable['env']; readonly version: number }
}

async function reread(q: Query, id: string): Promise<WholeRow> {
  const row = await findWhole(q, id)
  if (row === undefined) throw new Error(`The prompt ${id} was removed within its own transaction`)
  return row
}

/** Updates the search index of a prompt from its newest text: that of the draft if there is one. */
async function reindex(q: Query, row: WholeRow): Promise<WholeRow> {
  await indexPrompt(q, row.id, {
    key: row.key,
    name: row.name,
    description: row.description,
    category: row.category,
    tags: JSON.parse(row.tags),
    content: searchText(draftOf(row)),
  })
  return row
}

/** Adds a prompt with a draft and no version. */
export async function addDraft(tx: Tx, ctx: Context, prompt: NewPrompt): Promise<WholeRow> {
  const { id, workspace, key, env, name, description, category, tags, body } = prompt
  await insertPrompt(tx.q, {
    id,
    workspace_id: workspace.id,
    key,
    env,
    folder: folderOf(key),
    name,
    name_folded: fold(name),
    description,
    category,
    tags: JSON.stringify(tags),
    version: 0,
    has_draft: 1,
    published_at: null,
    deleted_at: null,
    ...firstState(ctx),
  })
  await putDraft(tx.q, { prompt_id: id, ...body })
  await setTags(tx.q, id, tags)
  return reindex(tx.q, await reread(tx.q, id))
}

/**
 * Makes the body the next version, which is served from now on. `draft`: `replaced` removes the draft; `kept`
 * leaves a draft with other content.
 */
export async function serve(
  tx: Tx,
  ctx: Context,
  row: WholeRow,
  body: Body,
  { kind, message, from, draft }: Origin & { readonly draft: 'replaced' | 'kept' },
): Promise<WholeRow> {
  if (isEmptyBody(body))
    throw invalid(
      body.messages === null ? 'content' : 'messages',
      'The content is empty, so there is nothing to publish',
    )
  const place = { workspaceId: row.workspace_id, key: row.key, env: row.env }
  await requireResolvable(tx.q, place, body)
  await storeIncludes(tx.q, row.id, place, body)
  const version = row.version + 1
  await insertVersion(tx.q, {
    prompt_id: row.id,
    version,
    kind,
    from_env: from?.env ?? null,
    from_version: from?.version ?? null,
    ...body,
    message,
    ...versionState(ctx),
  })
  const isDraftKept = draft === 'kept' && row.has_draft === 1 && !isSameBody(draftOf(row), body)
  if (!isDraftKept) await dropDraft(tx.q, row.id)
  await updatePrompt(tx.q, row.id, {
    version,
    has_draft: isDraftKept ? 1 : 0,
    published_at: ctx.now.getTime(),
    ...nextState(ctx, row),
  })
  await requireIncludersResolvable(tx.q, place, body.messages === null ? 'content' : 'messages')
  const after = await reread(tx.q, row.id)
  // The index contains the draft's text, which most publishes do not change.
  return draftOf(after).content === draftOf(row).content ? after : reindex(tx.q, after)
}

export type Change = {
  readonly workspace: Workspace
  readonly name: string
  readonly description: string
  readonly category: string | null
  readonly tags: readonly string[]
  readonly body: Body
}

const changeOf = (row: WholeRow) => ({
  name: row.name,
  description: row.description,
  category: row.category,
  tags: row.tags,
  workspace: row.workspace_id,
})

/** Returns true if unversioned fields, which change immediately, differ. */
export const hasUnversionedChange = (row: WholeRow, change: Change): boolean => {
  const before = changeOf(row)
  return (
    before.name !== change.name ||
    before.description !== change.description ||
    before.category !== change.category ||
    before.tags !== JSON.stringify(change.tags)
  )
}

/** Applies a change to a prompt: the body becomes its draft, the other fields change immediately. */
export async function applyChange(tx: Tx, ctx: Context, row: WholeRow, change: Change): Promise<WholeRow> {
  const { workspace, name, description, category, tags, body } = change
  const served = servedOf(row)
  const hasDraft = served === null || !isSameBody(body, served)
  if (hasDraft) await putDraft(tx.q, { prompt_id: row.id, ...body })
  else await dropDraft(tx.q, row.id)
  await updatePrompt(tx.q, row.id, {
    workspace_id: workspace.id,
    name,
    name_folded: fold(name),
    description,
    category,
    tags: JSON.stringify(tags),
    has_draft: hasDraft ? 1 : 0,
    ...nextState(ctx, row),
  })
  await setTags(tx.q, row.id, tags)
  return reindex(tx.q, await reread(tx.q, row.id))
}

/** Moves a prompt to the trash, or restores it (`deletedAt` null). */
export async function setDeleted(
  tx: Tx,
  ctx: Context,
  row: WholeRow,
  deletedAt: number | null,
): Promise<WholeRow> {
  await updatePrompt(tx.q, row.id, { deleted_at: deletedAt, ...nextState(ctx, row) })
  return reread(tx.q, row.id)
}
