import type { Query } from '../../db/types.ts'

export type IdempotencyKey = { readonly actor: string; readonly route: string; readonly key: string }
export type Reply = { readonly status: number; readonly json: string }
export type StoredReply = {
  readonly body_hash: string
  readonly status: number
  readonly reply: string
  /** Unix time in milliseconds. */
  readonly created_at: number
}

export function findReply(q: Query, { actor, route, key }: IdempotencyKey): Promise<StoredReply | undefined> {
  return q
    .selectFrom('idempotency_keys')
    .select(['body_hash', 'status', 'reply', 'created_at'])
    .where('actor', '=', actor)
    .where('route', '=', route)
    .where('key', '=', key)
    .executeTakeFirst()
}

/** Stores a key before its request is handled. Status 0 marks a key without a reply. */
export async function insertPending(
  q: Query,
  id: IdempotencyKey,
  bodyHash: string,
  now: number,
): Promise<void> {
  await q
    .insertInto('idempotency_keys')
    .values({ ...id, body_hash: bodyHash, status: 0, reply: '', created_at: now })
    .execute()
}

export async function storeReply(q: Query, id: IdempotencyKey, status: number, reply: string): Promise<void> {
  await q
    .updateTable('idempotency_keys')
    .set({ status, reply })
    .where('actor', '=', id.actor)
    .where('route', '=', id.route)
    .where('key', '=', id.key)
    .execute()
}

export async function deleteKey(q: Query, { actor, route, key }: IdempotencyKey): Promise<void> {
  await q
    .deleteFrom('idempotency_keys')
    .where('actor', '=', actor)
    .where('route', '=', route)
    .where('key', '=', key)
    .execute()
}

/** Deletes up to 20 keys that are older than `before` (Unix time in milliseconds). */
export async function deleteOld(q: Query, before: number): Promise<void> {
  const old = await q
    .selectFrom('idempotency_keys')
    .select(['actor', 'route', 'key'])
    .where('created_at', '<', before)
    .orderBy('created_at')
    .limit(20)
    .execute()
  for (const id of old) await deleteKey(q, id)
}
