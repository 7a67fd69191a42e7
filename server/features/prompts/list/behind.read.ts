import { sql } from 'kysely'
import type { Query } from '../../../db/types.ts'
import { type Body, hashOf, isSameBody } from '../state/body.ts'
import type { WholeRow } from '../state/prompts.store.ts'
import { servedOf } from '../state/prompts.wire.ts'

/** Number of versions of each environment that are considered, newest first. */
const maxVersions = 50

/**
 * Returns the ids of the prompts that are behind: another environment of the key serves content that was
 * first published later. Contents are compared by their first publication, so that an environment that was
 * rolled back is behind, and one that received a promotion later than its source is not.
 */
export async function idsBehind(q: Query, keys: Iterable<readonly WholeRow[]>): Promise<ReadonlySet<string>> {
  const differing = [...keys].map(servedPrompts).filter(servesDifferent)
  const times = await firstPublished(
    q,
    differing.flat().map(({ row }) => row.id),
  )
  const timeOf = ({ row }: Served): number => times.get(row.id) ?? row.published_at ?? 0
  return new Set(
    differing.flatMap((served) => {
      const newest = Math.max(...served.map(timeOf))
      return served.filter((each) => timeOf(each) < newest).map(({ row }) => row.id)
    }),
  )
}

type Served = { readonly row: WholeRow; readonly hash: string }

const servedPrompts = (prompts: readonly WholeRow[]): readonly Served[] =>
  prompts.flatMap((row) => {
    const body = servedOf(row)
    return body === null ? [] : [{ row, hash: hashOf(body) }]
  })

const servesDifferent = (served: readonly Served[]): boolean =>
  served.some(({ hash }) => hash !== served[0]?.hash)

type ServedColumns = { readonly [Name in keyof Body as `served_${Name}`]: Body[Name] }

const servedBodyOf = (row: ServedColumns): Body => ({
  content: row.served_content,
  model: row.served_model,
  variables: row.served_variables,
  messages: row.served_messages,
  params: row.served_params,
  has_includes: row.served_has_includes,
})

/** Returns when the served content of each prompt was first published in any environment of its key. */
async function firstPublished(q: Query, ids: readonly string[]): Promise<ReadonlyMap<string, number>> {
  const times = new Map<string, number>()
  if (ids.length === 0) return times
  const rows = await q
    .selectFrom('prompts as s')
    .innerJoin('prompt_versions as sv', (join) =>
      join.onRef('sv.prompt_id', '=', 's.id').onRef('sv.version', '=', 's.version'),
    )
    .innerJoin('prompts as o', (join) =>
      join
        .onRef('o.workspace_id', '=', 's.workspace_id')
        .onRef('o.key', '=', 's.key')
        .on('o.deleted_at', 'is', null),
    )
    .innerJoin('prompt_versions as v', (join) =>
      join
        .onRef('v.prompt_id', '=', 'o.id')
        .on('v.version', '>', sql<number>`o.version - ${sql.lit(maxVersions)}`),
    )
    .selectAll('v')
    .select([
      's.id as served_id',
      'sv.content as served_content',
      'sv.model as served_model',
      'sv.variables as served_variables',
      'sv.messages as served_messages',
      'sv.params as served_params',
      'sv.has_includes as served_has_includes',
    ])
    .where('s.id', 'in', ids)
    // The length is compared first, because it is known without reading the text.
    .where(sql<boolean>`octet_length(v.content) = octet_length(sv.content)`)
    .whereRef('v.content', '=', 'sv.content')
    .execute()
  for (const row of rows) {
    const { served_id: id } = row
    if (!isSameBody(row, servedBodyOf(row))) continue
    times.set(id, Math.min(times.get(id) ?? row.created_at, row.created_at))
  }
  return times
}
