import { type Params, prepareQuery } from '../../../db/prepared.ts'
import type { Query } from '../../../db/types.ts'
import type { NameDictionary } from '../store/names.store.ts'

type Place = { readonly parentId: string; readonly workspaceId: string }

const findExecution = prepareQuery((q, p: Params<Place>) =>
  q
    .selectFrom('workflow_runs')
    .select('id')
    .where('id', '=', p('parentId'))
    .where('workspace_id', '=', p('workspaceId')),
)
const findRun = prepareQuery((q, p: Params<{ id: number; workspace: number }>) =>
  q.selectFrom('runs').select('id').where('id', '=', p('id')).where('workspace', '=', p('workspace')),
)

/** Returns true if the workspace has an execution, or a run, with that id. */
export async function hasParent(
  q: Query,
  names: NameDictionary,
  { parentId, workspaceId }: Place,
): Promise<boolean> {
  if ((await findExecution(q, { parentId, workspaceId })).length > 0) return true
  if (!/^[1-9]\d{0,14}$/.test(parentId)) return false
  const workspace = await names.findId(q, 'workspace', workspaceId)
  return workspace !== null && (await findRun(q, { id: Number(parentId), workspace })).length > 0
}
