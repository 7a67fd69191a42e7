import { prepareQuery } from '../../db/prepared.ts'
import type { Db } from '../../db/types.ts'
import { cacheKey } from '../cache/response-cache.ts'
import type { PreparedCall } from './prepared-call.ts'

const secondsOf = prepareQuery<{ id: string }, { readonly cache_seconds: number | null }>((q, p) =>
  q.selectFrom('api_tokens').select('cache_seconds').where('id', '=', p('id')),
)

/** The place of a reply in the cache, and its time there. */
export type Caching = { readonly key: string; readonly seconds: number }

/** Returns how the replies to a call are cached; null if they are not. A caller with its own key has no cache. */
export async function cachingOf(db: Db, call: PreparedCall): Promise<Caching | null> {
  const { exchange, provider, workspaceId, path, body } = call
  const { ctx, hasOwnKey, req, search } = exchange
  if (hasOwnKey || ctx.actor.kind !== 'api_token' || ctx.actor.id === null) return null
  const [row] = await secondsOf(db.read, { id: ctx.actor.id })
  const seconds = row?.cache_seconds ?? null
  if (seconds === null || provider.refusal(false) !== null) return null
  const { name, settings } = provider
  const parts = [ctx.actor.id, workspaceId, name, settings.baseUrl, exchange.match.pattern, path, search]
  return { key: cacheKey(parts, req.headers, body), seconds }
}

/** The fields of a run whose reply was cached: it cost nothing, and its reply belongs to another call. */
export const hitFields = {
  replyMark: 'hit',
  cost_usd: 0,
  response_id: null,
  provider_request_id: null,
  counters: [],
} as const
