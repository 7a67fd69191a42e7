import type { Environment } from '../../../../contract/common/environments.ts'
import { type Params, prepareChange, prepareQuery } from '../../../db/prepared.ts'
import type { PromptsTable } from '../../../db/schema/schema.ts'
import type { WorkspacesTable } from '../../../db/schema/workspaces.ts'
import type { Query } from '../../../db/types.ts'

/** A prompt with its workspace, its draft and its served version (null if there is none). */
export type WholeRow = PromptsTable &
  Pick<WorkspacesTable, 'slug' | 'protected_envs'> & {
    readonly workspace_name: string
    readonly draft_content: string | null
    readonly draft_model: string | null
    readonly draft_variables: string | null
    readonly draft_messages: string | null
    readonly draft_params: string | null
    readonly draft_has_includes: number | null
    readonly served_content: string | null
    readonly served_model: string | null
    readonly served_variables: string | null
    readonly served_messages: string | null
    readonly served_params: string | null
    readonly served_has_includes: number | null
  }

export const joined = (q: Query) =>
  q
    .selectFrom('prompts as p')
    .innerJoin('workspaces as w', 'w.id', 'p.workspace_id')
    .leftJoin('prompt_drafts as d', 'd.prompt_id', 'p.id')
    .leftJoin('prompt_versions as v', (join) =>
      join.onRef('v.prompt_id', '=', 'p.id').onRef('v.version', '=', 'p.version'),
    )

export const selectWhole = (q: Query) =>
  joined(q)
    .selectAll('p')
    .select([
      'w.slug',
      'w.protected_envs',
      'w.name as workspace_name',
      'd.content as draft_content',
      'd.model as draft_model',
      'd.variables as draft_variables',
      'd.messages as draft_messages',
      'd.params as draft_params',
      'd.has_includes as draft_has_includes',
      'v.content as served_content',
      'v.model as served_model',
      'v.variables as served_variables',
      'v.messages as served_messages',
      'v.params as served_params',
      'v.has_includes as served_has_includes',
    ])

const byId = prepareQuery((q, p: Params<{ id: string }>) => selectWhole(q).where('p.id', '=', p('id')))

/** Returns the prompt with the id, deleted or not. */
export async function findWhole(q: Query, id: string): Promise<WholeRow | undefined> {
  const [row] = await byId(q, { id })
  return row
}

export type PromptPlace = { readonly workspaceId: string; readonly key: string; readonly env: Environment }

const byPlace = prepareQuery((q, p: Params<{ workspaceId: string; key: string; env: Environment }>) =>
  q
    .selectFrom('prompts')
    .select('id')
    .where('workspace_id', '=', p('workspaceId'))
    .where('key', '=', p('key'))
    .where('env', '=', p('env'))
    .where('deleted_at', 'is', null),
)

/** Returns the id of the prompt with a key in an environment; deleted prompts do not count. */
export async function idAt(q: Query, place: PromptPlace): Promise<string | undefined> {
  const [row] = await byPlace(q, place)
  return row?.id
}

const versionOf = prepareQuery((q, p: Params<{ id: string }>) =>
  q.selectFrom('prompts').select('version').where('id', '=', p('id')),
)
/** Returns the number of the served version; 0 if there is none. */
export async function servedNumber(q: Query, id: string): Promise<number> {
  const [row] = await versionOf(q, { id })
  return row?.version ?? 0
}

export const insertPrompt = prepareChange((q, p: Params<PromptsTable>) =>
  q.insertInto('prompts').values({
    id: p('id'),
    workspace_id: p('workspace_id'),
    key: p('key'),
    env: p('env'),
    folder: p('folder'),
    name: p('name'),
    name_folded: p('name_folded'),
    description: p('description'),
    category: p('category'),
    tags: p('tags'),
    version: p('version'),
    has_draft: p('has_draft'),
    revision: p('revision'),
    published_at: p('published_at'),
    created_by: p('created_by'),
    updated_by: p('updated_by'),
    created_at: p('created_at'),
    updated_at: p('updated_at'),
    deleted_at: p('deleted_at'),
  }),
)

export async function updatePrompt(
  q: Query,
  id: string,
  changes: Partial<Omit<PromptsTable, 'id'>>,
): Promise<void> {
  await q.updateTable('prompts').set(changes).where('id', '=', id).execute()
}

/** Deletes a prompt permanently, with its versions. */
export async function erasePrompt(q: Query, id: string): Promise<void> {
  await q.deleteFrom('prompts').where('id', '=', id).execute()
}

/** Returns a prompt in the trash. */
export const findDeleted = (q: Query, id: string) =>
  q
    .selectFrom('prompts')
    .select(['id', 'key', 'env', 'version', 'workspace_id', 'deleted_at'])
    .where('id', '=', id)
    .where('deleted_at', 'is not', null)
    .executeTakeFirst()

export const deletedBefore = prepareQuery((q, p: Params<{ before: number; limit: number }>) =>
  q
    .selectFrom('prompts')
    .select(['id', 'key', 'env', 'version', 'workspace_id', 'deleted_at'])
    .where('deleted_at', 'is not', null)
    .where('deleted_at', '<', p('before'))
    .orderBy('deleted_at')
    .limit(p('limit')),
)

export type Workspace = Pick<WorkspacesTable, 'id' | 'slug' | 'name' | 'protected_envs'>

const dropTags = prepareChange((q, p: Params<{ id: string }>) =>
  q.deleteFrom('prompt_tags').where('prompt_id', '=', p('id')),
)
const insertTag = prepareChange((q, p: Params<{ id: string; tag: string }>) =>
  q.insertInto('prompt_tags').values({ tag: p('tag'), prompt_id: p('id') }),
)

export async function setTags(q: Query, id: string, tags: readonly string[]): Promise<void> {
  await dropTags(q, { id })
  for (const tag of tags) await insertTag(q, { id, tag })
}
