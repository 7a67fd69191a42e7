import type { SampleKind } from '../../../contract/system/sample-data.ts'
import type { Query } from '../../db/types.ts'

export type SampleItem = { readonly kind: SampleKind; readonly id: string }

export const allSampleItems = (q: Query): Promise<SampleItem[]> =>
  q.selectFrom('sample_items').select(['kind', 'id']).execute()

export async function addSampleItem(q: Query, { kind, id }: SampleItem): Promise<void> {
  await q
    .insertInto('sample_items')
    .values({ kind, id })
    .onConflict((conflict) => conflict.doNothing())
    .execute()
}

export async function deleteSampleItem(q: Query, { kind, id }: SampleItem): Promise<void> {
  await q.deleteFrom('sample_items').where('kind', '=', kind).where('id', '=', id).execute()
}

/**
 * Returns the items of a workspace with these keys, deleted prompts included: copies of sample items, such as a
 * prompt promoted to another environment.
 */
export async function itemsWithKeys(
  q: Query,
  workspaceId: string,
  keys: Readonly<Record<'prompt' | 'agent' | 'workflow', readonly string[]>>,
): Promise<SampleItem[]> {
  const found: SampleItem[] = []
  for (const [kind, table] of [
    ['prompt', 'prompts'],
    ['agent', 'agents'],
    ['workflow', 'workflows'],
  ] as const) {
    const rows = await q
      .selectFrom(table)
      .select('id')
      .where('workspace_id', '=', workspaceId)
      .where('key', 'in', keys[kind])
      .execute()
    found.push(...rows.map(({ id }) => ({ kind, id })))
  }
  return found
}
