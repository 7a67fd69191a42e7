import { folderOf } from '../../../../contract/prompts/prompt.ts'
import type { Query } from '../../../db/types.ts'
import { freeKey } from '../../../resources/free-key.ts'
import { searchText } from './body.ts'
import { requireNotIncluded } from './includers.ts'
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
    const prompts = await q
      .selectFrom('prompts')
      .select(['id', 'key', 'env', 'version', 'revision', 'deleted_at'])
      .where('workspace_id', '=', from)
      .orderBy('key')
      .orderBy('env')
      .execute()
    const isTaken = async (key: string, env: (typeof prompts)[number]['env']) =>
      (await idAt(q, { workspaceId: to, key, env })) !== undefined
    const [unique, conflicting]: [typeof prompts, typeof prompts] = [[], []]
    for (const prompt of prompts) {
      const conflicts = prompt.deleted_at === null && (await isTaken(prompt.key, prompt.env))
      // Its new key would make the includers contain the prompt of the target.
      if (conflicts)
        await requireNotIncluded(q, { ...prompt, workspace_id: from }, ' The target has another one.')
      ;(conflicts ? conflicting : unique).push(prompt)
    }
    const moved = []
    // Prompts without a conflict move first, so that no renamed prompt takes their key.
    for (const prompt of [...unique, ...conflicting]) {
      const key = conflicting.includes(prompt)
        ? await freeKey(prompt.key, slug, (candidate) => isTaken(candidate, prompt.env))
        : prompt.key
      await updatePrompt(q, prompt.id, {
        workspace_id: to,
        key,
        folder: folderOf(key),
        revision: prompt.revision + 1,
        updated_at: nowMs,
      })
      const after = key === prompt.key ? undefined : await findWhole(q, prompt.id)
      if (after !== undefined) {
        const { name, description, category, tags } = after
        const content = searchText(draftOf(after))
        await indexPrompt(q, prompt.id, { key, name, description, category, tags: JSON.parse(tags), content })
      }
      const isInUse = prompt.deleted_at === null
      moved.push({
        id: prompt.id,
        from: prompt.key,
        to: key,
        env: prompt.env,
        isCounted: isInUse,
        promptEvents: isInUse
          ? [
              ...framesOf('prompt.deleted', { ...prompt, workspace_id: from }),
              ...framesOf('prompt.created', { ...prompt, key, workspace_id: to }),
            ]
          : [],
      })
    }
    return moved
  },
} as const
