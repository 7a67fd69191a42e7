import { folderOf } from '../../../../contract/prompts/prompt.ts'
import type { Query } from '../../../db/types.ts'
import { freeKey } from '../../../resources/free-key.ts'
import { findWhole, idAt, updatePrompt } from './prompts.store.ts'
import { draftOf, framesOf } from './prompts.wire.ts'
import { indexPrompt } from './words.store.ts'

type Move = { readonly from: string; readonly to: string; readonly slug: string; readonly nowMs: number }

/** The prompts of a workspace: counts them, and moves all of them to another workspace. */
export const promptContents = {
  noun: 'prompts',
  resource: 'prompt',

  async count(q: Query, workspaceIds: readonly string[]): Promise<ReadonlyMap<string, number>> {
    if (workspaceIds.length === 0) return new Map()
    const rows = await q
      .selectFrom('prompts')
      .select(['workspace_id', q.fn.countAll<number>().as('count')])
      .where('workspace_id', 'in', workspaceIds)
      .where('deleted_at', 'is', null)
      .groupBy('workspace_id')
      .execute()
    return new Map(rows.map((row) => [row.workspace_id, Number(row.count)]))
  },

  /** Moves all prompts. Deleted ones keep their key: keys in the trash may repeat. */
  async moveAll(q: Query, { from, to, slug, nowMs }: Move) {
    const leaving = await q
      .selectFrom('prompts')
      .select(['id', 'key', 'env', 'version', 'revision', 'deleted_at'])
      .where('workspace_id', '=', from)
      .orderBy('key')
      .orderBy('env')
      .execute()
    const isTaken = async (key: string, env: (typeof leaving)[number]['env']) =>
      (await idAt(q, { workspaceId: to, key, env })) !== undefined
    const [unique, conflicting]: [typeof leaving, typeof leaving] = [[], []]
    for (const one of leaving) {
      const conflicts = one.deleted_at === null && (await isTaken(one.key, one.env))
      ;(conflicts ? conflicting : unique).push(one)
    }
    const moved = []
    // Prompts without a conflict move first, so that no renamed prompt takes their key.
    for (const one of [...unique, ...conflicting]) {
      const key = conflicting.includes(one)
        ? await freeKey(one.key, slug, (candidate) => isTaken(candidate, one.env))
        : one.key
      await updatePrompt(q, one.id, {
        workspace_id: to,
        key,
        folder: folderOf(key),
        revision: one.revision + 1,
        updated_at: nowMs,
      })
      const after = key === one.key ? undefined : await findWhole(q, one.id)
      if (after !== undefined) {
        const { name, description, category, tags } = after
        const content = draftOf(after).content
        await indexPrompt(q, one.id, { key, name, description, category, tags: JSON.parse(tags), content })
      }
      const isThere = one.deleted_at === null
      moved.push({
        id: one.id,
        from: one.key,
        to: key,
        isCounted: isThere,
        promptEvents: isThere
          ? [
              ...framesOf('prompt.deleted', { ...one, workspace_id: from }),
              ...framesOf('prompt.created', { ...one, key, workspace_id: to }),
            ]
          : [],
      })
    }
    return moved
  },
} as const
