import { type Environment, environments } from '../../../../contract/common/environments.ts'
import type { Client } from '../../../../contract/live/clients.ts'
import type { Query } from '../../../db/types.ts'

type Place = { readonly workspace: string; readonly env: Environment; readonly keys: readonly string[] }

/** Returns when the served version of each key was published, in epoch milliseconds. */
async function publishedAt(q: Query, { workspace, env, keys }: Place): Promise<Map<string, number>> {
  const rows = await q
    .selectFrom('prompts as p')
    .innerJoin('workspaces as w', 'w.id', 'p.workspace_id')
    .select(['p.key', 'p.published_at'])
    .where('w.slug', '=', workspace)
    .where('p.env', '=', env)
    .where('p.key', 'in', keys)
    .where('p.deleted_at', 'is', null)
    .execute()
  return new Map(rows.flatMap(({ key, published_at: at }) => (at === null ? [] : [[key, at]])))
}

/**
 * Counts the connected SDKs that have had an older version of a key than the served one for longer than the
 * period: since it was published, or since they connected if that was later.
 */
export async function countBehind(
  q: Query,
  clients: readonly Client[],
  rule: {
    /** Slug; null for all. */
    readonly workspace: string | null
    readonly keys: readonly string[] | undefined
    readonly beforeMs: number
  },
): Promise<number> {
  let count = 0
  for (const client of clients) {
    const env = environments.find((name) => name === client.namespace)
    const keys = client.behind.filter((key) => rule.keys === undefined || rule.keys.includes(key))
    const isConcerned = rule.workspace === null || client.workspace === rule.workspace
    const isLongConnected = Date.parse(client.connected_at) <= rule.beforeMs
    if (env === undefined || keys.length === 0 || !isConcerned || !isLongConnected) continue
    const published = await publishedAt(q, { workspace: client.workspace, env, keys })
    if ([...published.values()].some((at) => at <= rule.beforeMs)) count += 1
  }
  return count
}
