import { prepareQuery } from '../../db/prepared.ts'
import type { DevicesTable } from '../../db/schema/devices.ts'
import type { Query } from '../../db/types.ts'

export type DeviceRow = DevicesTable

const byHash = prepareQuery<{ hash: string }, DeviceRow>((q, p) =>
  q.selectFrom('devices').selectAll().where('hash', '=', p('hash')),
)

export async function findDeviceByHash(q: Query, hash: string): Promise<DeviceRow | undefined> {
  return (await byHash(q, { hash }))[0]
}

export function findDevice(q: Query, id: string): Promise<DeviceRow | undefined> {
  return q.selectFrom('devices').selectAll().where('id', '=', id).executeTakeFirst()
}

export async function insertDevice(q: Query, row: DeviceRow): Promise<void> {
  await q.insertInto('devices').values(row).execute()
}

export async function storeDeviceSignIn(
  q: Query,
  id: string,
  from: Pick<DeviceRow, 'address' | 'user_agent'>,
): Promise<void> {
  await q.updateTable('devices').set(from).where('id', '=', id).execute()
}

/**
 * Stores last-seen times, given as pairs of device id and milliseconds, and extends the lifetime of the
 * devices. An older time replaces no newer one.
 */
export async function storeDevicesSeen(
  q: Query,
  seen: Iterable<readonly [string, number]>,
  lifetimeMs: number,
): Promise<void> {
  for (const [id, at] of seen) {
    await q
      .updateTable('devices')
      .set({ last_seen_at: at, expires_at: at + lifetimeMs })
      .where('id', '=', id)
      .where('hash', 'is not', null)
      .where('last_seen_at', '<', at)
      .execute()
  }
}
