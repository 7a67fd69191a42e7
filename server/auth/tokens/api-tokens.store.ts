import { prepareQuery } from '../../db/prepared.ts'
import type { ApiTokensTable } from '../../db/schema/schema.ts'
import type { Query } from '../../db/types.ts'

export type ApiTokenRow = ApiTokensTable

const byHash = prepareQuery<{ hash: string }, ApiTokenRow>((q, p) =>
  q.selectFrom('api_tokens').selectAll().where('hash', '=', p('hash')),
)

/** Returns the token with this hash. Runs on every request with an API token, so it uses a prepared query. */
export async function findTokenByHash(q: Query, hash: string): Promise<ApiTokenRow | undefined> {
  return (await byHash(q, { hash }))[0]
}

const byId = prepareQuery<{ id: string }, ApiTokenRow>((q, p) =>
  q.selectFrom('api_tokens').selectAll().where('id', '=', p('id')),
)

export async function findTokenById(q: Query, id: string): Promise<ApiTokenRow | undefined> {
  return (await byId(q, { id }))[0]
}

/**
 * Stores last-used times, given as pairs of token id and milliseconds. An older time replaces no newer one.
 */
export async function storeTokenUse(q: Query, used: Iterable<readonly [string, number]>): Promise<void> {
  for (const [id, at] of used) {
    await q
      .updateTable('api_tokens')
      .set({ last_used_at: at })
      .where('id', '=', id)
      .where((eb) => eb.or([eb('last_used_at', 'is', null), eb('last_used_at', '<', at)]))
      .execute()
  }
}
