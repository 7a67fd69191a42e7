import type { DevicesTable } from '../../db/schema/devices.ts'
import type { SessionsTable } from '../../db/schema/schema.ts'
import type { Query } from '../../db/types.ts'
import { dayMs, hourMs, minuteMs } from '../../lib/durations.ts'

/** Time after its last use at which a session ends, in milliseconds. */
export const idleMs = 8 * hourMs
/** Time after its creation at which a session ends in any case, in milliseconds. */
export const absoluteMs = 7 * dayMs

export async function insertSession(q: Query, session: SessionsTable): Promise<void> {
  await q.insertInto('sessions').values(session).execute()
}

export type ListedSession = SessionsTable & {
  readonly device_name: string | null
  readonly device_kind: DevicesTable['kind'] | null
}

/** Returns the sessions of a user that have not reached their absolute limit, newest first. */
export function openSessionsOf(q: Query, userId: string, nowMs: number): Promise<ListedSession[]> {
  return q
    .selectFrom('sessions')
    .leftJoin('devices', 'devices.id', 'sessions.device_id')
    .selectAll('sessions')
    .select(['devices.name as device_name', 'devices.kind as device_kind'])
    .where('sessions.user_id', '=', userId)
    .where('sessions.expires_at', '>', nowMs)
    .orderBy('sessions.created_at', 'desc')
    .orderBy('sessions.id', 'desc')
    .execute()
}

/** Deletes the sessions on a device, or on all devices of a user. Returns the users who had one. */
export async function deleteSessionsOnDevices(
  q: Query,
  by: 'id' | 'user_id',
  value: string,
): Promise<string[]> {
  const devices = q.selectFrom('devices').select('id').where(by, '=', value)
  const rows = await q.selectFrom('sessions').select('user_id').where('device_id', 'in', devices).execute()
  await q.deleteFrom('sessions').where('device_id', 'in', devices).execute()
  return [...new Set(rows.map((row) => row.user_id))]
}

/** Deletes one session of a user. Returns false if there was none. */
export async function deleteSession(q: Query, id: string, userId: string): Promise<boolean> {
  const result = await q
    .deleteFrom('sessions')
    .where('id', '=', id)
    .where('user_id', '=', userId)
    .executeTakeFirst()
  return Number(result.numDeletedRows) > 0
}

/** Deletes the sessions of a user, all or all but one. Returns their number. */
export async function deleteSessionsOf(q: Query, userId: string, exceptId?: string): Promise<number> {
  let deletion = q.deleteFrom('sessions').where('user_id', '=', userId)
  if (exceptId !== undefined) deletion = deletion.where('id', '!=', exceptId)
  return Number((await deletion.executeTakeFirst()).numDeletedRows)
}

/** Time that a replaced session stays valid, so that requests in progress can finish, in milliseconds. */
const replacedMs = minuteMs

/**
 * Returns true if another session replaced this one: its lifetime is then shorter than the absolute limit.
 */
export const isReplaced = (session: Pick<SessionsTable, 'created_at' | 'expires_at'>): boolean =>
  session.expires_at - session.created_at < absoluteMs

/** Shortens the lifetime of a session that another one replaces. */
export async function replaceSession(q: Query, id: string, nowMs: number): Promise<void> {
  await q
    .updateTable('sessions')
    .set({ expires_at: nowMs + replacedMs })
    .where('id', '=', id)
    .where('expires_at', '>', nowMs + replacedMs)
    .execute()
}

/** Deletes the sessions of a user that were replaced and are not deleted yet. */
export async function deleteReplacedSessions(q: Query, userId: string): Promise<void> {
  await q
    .deleteFrom('sessions')
    .where('user_id', '=', userId)
    .where((eb) => eb(eb('expires_at', '-', eb.ref('created_at')), '<', absoluteMs))
    .execute()
}

export async function deleteSessionsById(q: Query, ids: readonly string[]): Promise<void> {
  if (ids.length > 0) await q.deleteFrom('sessions').where('id', 'in', ids).execute()
}

/** Deletes all but the newest `keep` sessions of a user, at most 1,000 at once. */
export async function deleteOldestSessions(q: Query, userId: string, keep: number): Promise<void> {
  const surplus = await q
    .selectFrom('sessions')
    .select('id')
    .where('user_id', '=', userId)
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .limit(1_000)
    .offset(keep)
    .execute()
  await deleteSessionsById(
    q,
    surplus.map((row) => row.id),
  )
}

/** Returns the ids of up to `limit` sessions that reached their absolute or idle limit. */
export async function endedSessions(q: Query, nowMs: number, limit: number): Promise<string[]> {
  const rows = await q
    .selectFrom('sessions')
    .select('id')
    .where((eb) => eb.or([eb('expires_at', '<=', nowMs), eb('last_seen_at', '<=', nowMs - idleMs)]))
    .limit(limit)
    .execute()
  return rows.map((row) => row.id)
}

/**
 * Stores last-seen times, given as pairs of session id and milliseconds. An older time replaces no newer one.
 */
export async function storeLastSeen(q: Query, seen: Iterable<readonly [string, number]>): Promise<void> {
  for (const [id, at] of seen) {
    await q
      .updateTable('sessions')
      .set({ last_seen_at: at })
      .where('id', '=', id)
      .where('last_seen_at', '<', at)
      .execute()
  }
}
