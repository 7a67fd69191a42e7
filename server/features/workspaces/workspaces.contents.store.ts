import type { Environment } from '../../../contract/common/environments.ts'
import type { PromptEvent } from '../../../contract/live/frames.ts'
import type { AuditResource } from '../../../contract/system/audit.ts'
import type { Workspace } from '../../../contract/system/workspaces.ts'
import type { Schema } from '../../db/schema/schema.ts'
import type { Query } from '../../db/types.ts'
import { definitionStore } from '../../definitions/definitions.store.ts'
import { wordsOf } from '../../lib/text/words.ts'
import { keyWithSuffix } from '../../resources/free-key.ts'
import { type RenamedKeys, withRenamedKeys } from './workspaces.references.ts'

/** A move out of a deleted workspace. `slug` is that of the workspace that is deleted. */
export type Move = {
  readonly from: string
  readonly to: string
  readonly slug: string
  readonly nowMs: number
  /** Name of the caller. */
  readonly by: string
  readonly renamed: RenamedKeys
}
export type Moved = {
  readonly id: string
  readonly from: string
  readonly to: string
  readonly env?: Environment
  /** The version that the move made; absent if it made none. */
  readonly version?: number
  /** False for a prompt in the trash, which is moved without being reported. */
  readonly isCounted: boolean
  readonly promptEvents?: readonly Omit<PromptEvent, 'seq'>[]
}

/**
 * A kind of resource that belongs to exactly one workspace: counts it, and moves all of it to another
 * workspace.
 */
export type Contents = {
  readonly noun: 'prompts' | 'agents' | 'workflows'
  readonly resource: Extract<AuditResource, 'prompt' | 'agent' | 'workflow'>
  /** Returns counts by workspace id; a workspace with none is absent. */
  count(q: Query, workspaceIds: readonly string[]): Promise<ReadonlyMap<string, number>>
  /**
   * Moves all. An item whose key is taken gets the suffix `-<slug>`, then `-<slug>-2`. Returns the old and
   * new keys.
   */
  moveAll(q: Query, move: Move): Promise<Moved[]>
}

const wordsTable = { agents: 'agent_words', workflows: 'workflow_words' } as const
type Table = Extract<keyof Schema, 'agents' | 'workflows'>

function contents(noun: Table, resource: 'agent' | 'workflow'): Contents {
  const keysOf = (q: Query, workspaceId: string): Promise<{ id: string; key: string }[]> =>
    q.selectFrom(noun).select(['id', 'key']).where('workspace_id', '=', workspaceId).orderBy('key').execute()

  return {
    noun,
    resource,
    async count(q, workspaceIds) {
      if (workspaceIds.length === 0) return new Map()
      const rows = await q
        .selectFrom(noun)
        .select(['workspace_id', q.fn.countAll<number>().as('count')])
        .where('workspace_id', 'in', workspaceIds)
        .groupBy('workspace_id')
        .execute()
      return new Map(rows.map((row) => [row.workspace_id, Number(row.count)]))
    },
    async moveAll(q, move) {
      const { from, to, slug, nowMs } = move
      const items = await keysOf(q, from)
      if (items.length === 0) return []
      const taken = new Set((await keysOf(q, to)).map(({ key }) => key))
      // Items without a conflict move first, so that no renamed item takes their key.
      const [unique, conflicting] = [
        items.filter((item) => !taken.has(item.key)),
        items.filter((item) => taken.has(item.key)),
      ]
      const moved: Moved[] = []
      for (const item of [...unique, ...conflicting]) {
        const key = freeKey(item.key, slug, taken)
        taken.add(key)
        await q
          .updateTable(noun)
          .set((eb) => ({ workspace_id: to, key, revision: eb('revision', '+', 1), updated_at: nowMs }))
          .where('id', '=', item.id)
          .execute()
        // Adds the words of the new key. Words of the old key remain, because people search for it.
        for (const word of key === item.key ? [] : wordsOf(key))
          await q
            .insertInto(wordsTable[noun])
            .values({ word, owner_id: item.id })
            .onConflict((conflict) => conflict.doNothing())
            .execute()
        const version = await followRenamedKeys(q, resource, item.id, move)
        moved.push({ id: item.id, from: item.key, to: key, isCounted: true, ...(version && { version }) })
      }
      return moved
    },
  }
}

/** Makes a version with the new keys of what an agent or workflow refers to. Returns null if nothing was renamed. */
async function followRenamedKeys(
  q: Query,
  noun: 'agent' | 'workflow',
  id: string,
  { slug, nowMs, by, renamed }: Move,
): Promise<number | null> {
  const store = definitionStore(noun)
  const row = await store.find(q, id)
  const body = row && withRenamedKeys(row.body, renamed)
  if (row === undefined || body === undefined || body === row.body) return null
  const version = row.version + 1
  const message = `Keys that changed because the workspace ${slug} was deleted`
  const state = { kind: 'update', from_version: null, message, created_by: by, created_at: nowMs } as const
  await store.insertVersion(q, { owner_id: id, version, body, ...state })
  await store.update(q, id, { version })
  const { prompt_key } = JSON.parse(body)
  if (noun === 'agent') await q.updateTable('agents').set({ prompt_key }).where('id', '=', id).execute()
  return version
}

function freeKey(from: string, slug: string, taken: ReadonlySet<string>): string {
  for (let number = 0; ; number += 1) {
    const suffix = number === 0 ? '' : number === 1 ? `-${slug}` : `-${slug}-${number}`
    const key = keyWithSuffix(from, suffix)
    if (!taken.has(key)) return key
  }
}

/** The contents of a workspace other than prompts. A new resource needs an entry here and a count in the API. */
export const workspaceContents: readonly Contents[] = [
  contents('agents', 'agent'),
  contents('workflows', 'workflow'),
]

type Counts = Pick<Workspace, 'prompt_count' | 'agent_count' | 'workflow_count'>
const countNames = { prompts: 'prompt_count', agents: 'agent_count', workflows: 'workflow_count' } as const

/** Counts every resource of the given workspaces, with one query per resource. */
export async function countContents(
  q: Query,
  all: readonly Contents[],
  workspaceIds: readonly string[],
): Promise<(workspaceId: string) => Counts> {
  const counted: (readonly [Contents['noun'], ReadonlyMap<string, number>])[] = []
  for (const { noun, count } of all) counted.push([noun, await count(q, workspaceIds)])
  return (workspaceId) => {
    const counts: Counts = { prompt_count: 0, agent_count: 0, workflow_count: 0 }
    for (const [noun, byWorkspace] of counted) counts[countNames[noun]] = byWorkspace.get(workspaceId) ?? 0
    return counts
  }
}
