import type { Environment } from '../../../../contract/common/environments.ts'
import { type Params, prepareQuery } from '../../../db/prepared.ts'
import type { Query } from '../../../db/types.ts'
import { applyPage, countRows, orders, type PagePlan, type Total, textKey } from '../../../lib/paging.ts'

const columns = [
  'p.id',
  'p.key',
  'p.env',
  'p.version',
  'v.content',
  'v.model',
  'v.variables',
  'v.messages',
  'v.params',
  'v.has_includes',
] as const

const joined = (q: Query) =>
  q
    .selectFrom('prompts as p')
    .innerJoin('prompt_versions as v', (join) =>
      join.onRef('v.prompt_id', '=', 'p.id').onRef('v.version', '=', 'p.version'),
    )
    .where('p.deleted_at', 'is', null)

export type ServedRow = {
  readonly id: string
  readonly key: string
  readonly env: Environment
  readonly version: number
  readonly content: string
  readonly model: string | null
  readonly variables: string
  readonly messages: string | null
  readonly params: string | null
  readonly has_includes: number
}

const servedNow = prepareQuery((q, p: Params<{ workspaceId: string; key: string; env: Environment }>) =>
  q
    .selectFrom('prompts')
    .select(['id', 'key', 'env', 'version'])
    .where('workspace_id', '=', p('workspaceId'))
    .where('key', '=', p('key'))
    .where('env', '=', p('env'))
    .where('deleted_at', 'is', null),
)
const versionBody = prepareQuery((q, p: Params<{ id: string; version: number }>) =>
  q
    .selectFrom('prompt_versions')
    .select(['content', 'model', 'variables', 'messages', 'params', 'has_includes'])
    .where('prompt_id', '=', p('id'))
    .where('version', '=', p('version')),
)

export type ServedVersion = Pick<ServedRow, 'id' | 'key' | 'env' | 'version'>

/** Returns which version is served now; undefined if none is. */
export async function servedVersion(
  q: Query,
  place: { readonly workspaceId: string; readonly key: string; readonly env: Environment },
): Promise<ServedVersion | undefined> {
  const [prompt] = await servedNow(q, place)
  return prompt === undefined || prompt.version === 0 ? undefined : prompt
}

/** Returns the content of a served version, which never changes; undefined if the prompt was purged meanwhile. */
export async function contentOf(q: Query, served: ServedVersion): Promise<ServedRow | undefined> {
  const [version] = await versionBody(q, served)
  return version && { ...served, ...version }
}

export const servedOrder = orders({ key: [textKey('p.key')] })

/** Rows of one statement. */
const chunkRows = 100

type ServedPlace = { readonly workspaceId: string; readonly env: Environment }

const servedIn = (q: Query, { workspaceId, env }: ServedPlace) =>
  joined(q).select(columns).where('p.workspace_id', '=', workspaceId).where('p.env', '=', env)

/** Counts what is served in an environment. */
export const countServed = (q: Query, place: ServedPlace): Promise<Total> =>
  countRows(q, servedIn(q, place), { isCapped: false })

/** Reads what is served in an environment from the beginning of a page on; each key is served at most once. */
export async function* readServed(q: Query, place: ServedPlace, plan: PagePlan): AsyncGenerator<ServedRow> {
  const limit = Math.min(chunkRows, plan.limit)
  let { after } = plan
  for (;;) {
    const chunk: ServedRow[] = await applyPage(servedIn(q, place), { ...plan, after, limit }).execute()
    yield* chunk
    const last = chunk[limit]
    if (last === undefined) return
    after = [last.key]
  }
}
