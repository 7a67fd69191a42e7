import type { Environment } from '../../../contract/live.ts'
import { hot, type Params } from '../../db/hot.ts'
import type { Query } from '../../db/types.ts'
import { applyPage, countRows, orders, type PagePlan, textKey } from '../../lib/paging.ts'

const columns = ['p.id', 'p.key', 'p.env', 'p.version', 'v.content', 'v.model', 'v.variables'] as const

const served = (q: Query) =>
  q
    .selectFrom('prompts as p')
    .innerJoin('prompt_versions as v', (join) =>
      join.onRef('v.prompt_id', '=', 'p.id').onRef('v.version', '=', 'p.version'),
    )
    .where('p.deleted_at', 'is', null)

/** What an app fetches: one row by two keys. */
export const servedAt = hot((q, p: Params<{ workspaceId: string; key: string; env: Environment }>) =>
  served(q)
    .select(columns)
    .where('p.workspace_id', '=', p('workspaceId'))
    .where('p.key', '=', p('key'))
    .where('p.env', '=', p('env')),
)
export type ServedRow = Awaited<ReturnType<typeof servedAt>>[number]

export const servedOrder = orders({ key: [textKey('p.key')] })

/** Everything that is served in an environment; a key stands there once. */
export async function listServed(
  q: Query,
  { workspaceId, env }: { readonly workspaceId: string; readonly env: Environment },
  plan: PagePlan,
) {
  const found = served(q).select(columns).where('p.workspace_id', '=', workspaceId).where('p.env', '=', env)
  const total = await countRows(q, found, { isCapped: false })
  return { rows: await applyPage(found, plan).execute(), total }
}
