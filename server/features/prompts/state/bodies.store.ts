import { sql } from 'kysely'
import { type Params, prepareChange, prepareQuery } from '../../../db/prepared.ts'
import type { PromptDraftsTable, PromptVersionsTable } from '../../../db/schema/schema.ts'
import type { Query } from '../../../db/types.ts'
import { type PagePlan, readPage } from '../../../lib/paging.ts'

export type VersionRow = PromptVersionsTable

const upsertDraft = prepareChange((q, p: Params<PromptDraftsTable>) =>
  q
    .insertInto('prompt_drafts')
    .values({
      prompt_id: p('prompt_id'),
      content: p('content'),
      model: p('model'),
      variables: p('variables'),
      messages: p('messages'),
      params: p('params'),
      has_includes: p('has_includes'),
    })
    .onConflict((conflict) =>
      conflict.column('prompt_id').doUpdateSet((eb) => ({
        content: eb.ref('excluded.content'),
        model: eb.ref('excluded.model'),
        variables: eb.ref('excluded.variables'),
        messages: eb.ref('excluded.messages'),
        params: eb.ref('excluded.params'),
        has_includes: eb.ref('excluded.has_includes'),
      })),
    ),
)
export const putDraft = async (q: Query, draft: PromptDraftsTable): Promise<void> =>
  void (await upsertDraft(q, draft))

const deleteDraft = prepareChange((q, p: Params<{ id: string }>) =>
  q.deleteFrom('prompt_drafts').where('prompt_id', '=', p('id')),
)
export const dropDraft = async (q: Query, id: string): Promise<void> => void (await deleteDraft(q, { id }))

export const insertVersion = prepareChange((q, p: Params<PromptVersionsTable>) =>
  q.insertInto('prompt_versions').values({
    prompt_id: p('prompt_id'),
    version: p('version'),
    kind: p('kind'),
    from_env: p('from_env'),
    from_version: p('from_version'),
    content: p('content'),
    model: p('model'),
    variables: p('variables'),
    messages: p('messages'),
    params: p('params'),
    has_includes: p('has_includes'),
    message: p('message'),
    created_by: p('created_by'),
    created_at: p('created_at'),
  }),
)

const oneVersion = prepareQuery((q, p: Params<{ id: string; version: number }>) =>
  q
    .selectFrom('prompt_versions')
    .selectAll()
    .where('prompt_id', '=', p('id'))
    .where('version', '=', p('version')),
)
export async function findVersion(q: Query, id: string, version: number): Promise<VersionRow | undefined> {
  const [row] = await oneVersion(q, { id, version })
  return row
}

/** Maximum number of versions with the same content to read. Older ones are not compared. */
const maxSameContent = 20
const sameContent = prepareQuery(
  (q, p: Params<{ id: string; bytes: number; content: string; limit: number }>) =>
    q
      .selectFrom('prompt_versions')
      .selectAll()
      .where('prompt_id', '=', p('id'))
      // The length is compared first, because it is known without reading the text.
      .where(sql<number>`octet_length(content)`, '=', p('bytes'))
      .where('content', '=', p('content'))
      .orderBy('version', 'desc')
      .limit(p('limit')),
)
/** Returns versions of a prompt with this content, newest first. Their model and variables may differ. */
export const versionsWithContent = (q: Query, id: string, content: string): Promise<VersionRow[]> =>
  sameContent(q, { id, bytes: Buffer.byteLength(content), content, limit: maxSameContent })

export const listVersions = (q: Query, promptId: string, plan: PagePlan) =>
  readPage(q, q.selectFrom('prompt_versions').selectAll().where('prompt_id', '=', promptId), plan, {
    isCapped: false,
  })
