import type { z } from 'zod'
import type { Device, ListDevicesQuery } from '../../../contract/accounts/devices.ts'
import { hasRole, permissionRoles } from '../../../contract/common/roles.ts'
import type { Devices } from '../../auth/devices/devices.ts'
import { revokeDevice } from '../../auth/devices/revoke.ts'
import { findSession } from '../../auth/identity/identity.store.ts'
import type { LiveAccess } from '../../auth/identity/identity.ts'
import type { ApiTokens } from '../../auth/tokens/api-tokens.ts'
import type { Db, Query } from '../../db/types.ts'
import type { History } from '../../history/history.ts'
import type { Context } from '../../lib/context.ts'
import { fail } from '../../lib/fail.ts'
import { planPage, toPage } from '../../lib/paging.ts'
import { fold } from '../../lib/text/search.ts'
import {
  deviceKeys,
  deviceOrder,
  findListedDevice,
  type ListedDevice,
  listDevices,
  renameDevice,
} from './devices.store.ts'

export type DevicesServiceDeps = {
  readonly db: Db
  readonly history: History
  readonly devices: Devices
  readonly apiTokens: Pick<ApiTokens, 'lastUsedMs'>
  readonly liveAccess: LiveAccess
  readonly deleteToken: (q: Query, id: string) => Promise<void>
}

export type DevicesService = ReturnType<typeof createDevicesService>

/** Lists, renames and revokes paired devices. */
export function createDevicesService(deps: DevicesServiceDeps) {
  return {
    list: (ctx: Context, query: z.output<typeof ListDevicesQuery>) => list(deps, ctx, query),
    rename: (ctx: Context, id: string, name: string) => rename(deps, ctx, id, name),
    revoke: (ctx: Context, id: string) => revoke(deps, ctx, id),
  }
}

/** Returns true if the caller may see and change the devices of all users. */
const managesAll = ({ actor }: Context): boolean =>
  actor.role !== null && hasRole(actor.role, permissionRoles['devices.manage'])

/** The id that no user has: a caller who is no user has no devices of its own. */
const nobody = ''

const ownerId = ({ actor }: Context): string => (actor.kind === 'user' ? (actor.id ?? nobody) : nobody)

/** Returns a device that the caller may see. Throws 404 for another user's, as for none. */
async function required(q: Query, ctx: Context, id: string): Promise<ListedDevice> {
  const device = await findListedDevice(q, id)
  if (device !== undefined && (managesAll(ctx) || device.user_id === ownerId(ctx))) return device
  throw fail('not_found', { detail: 'Device not found.' })
}

async function list(deps: DevicesServiceDeps, ctx: Context, query: z.output<typeof ListDevicesQuery>) {
  const { db, devices } = deps
  // Sorting and filtering by time use the stored times.
  await devices.flush()
  const plan = planPage(query, deviceOrder(query.sort ?? '-last_seen_at'))
  const isOwn = query.owner === 'me' || !managesAll(ctx)
  const filters = { ...query, userId: isOwn ? ownerId(ctx) : null, nowMs: ctx.now.getTime() }
  const { rows, total } = await listDevices(db.read, filters, plan)
  const current = await currentDeviceId(db.read, ctx)
  return toPage(plan, rows, total, deviceKeys(plan.order.name), (row) => toWire(deps, ctx, row, current))
}

/** Returns the device of the calling session; the calling API token is compared with `token_id`. */
async function currentDeviceId(q: Query, { actor }: Context): Promise<string | null> {
  if (actor.sessionId === null) return null
  return (await findSession(q, actor.sessionId))?.device_id ?? null
}

async function rename(deps: DevicesServiceDeps, ctx: Context, id: string, name: string): Promise<Device> {
  const { db, history } = deps
  const device = await db.write(async (tx) => {
    const before = await required(tx.q, ctx, id)
    if (before.name === name) return before
    await renameDevice(tx.q, id, name, fold(name))
    await history.record(tx, ctx, {
      action: 'update',
      resource: 'device',
      resourceId: id,
      ...(before.user_id !== null && { userId: before.user_id }),
      key: name,
      summary: `Renamed the device ${before.name} to ${name}`,
      before: { name: before.name },
      after: { name },
    })
    return { ...before, name }
  })
  return toWire(deps, ctx, device, await currentDeviceId(db.read, ctx))
}

/** Revokes a device: its sessions and API token are deleted, and their connections close. */
async function revoke(deps: DevicesServiceDeps, ctx: Context, id: string): Promise<{ ok: true }> {
  const { db, liveAccess, deleteToken } = deps
  const tokenId = await db.write(
    async (tx) => {
      const found = await required(tx.q, ctx, id)
      const note = found.token_id === null ? '' : ' and its API token'
      await revokeDevice(deps, tx, ctx, found, note)
      if (found.token_id !== null) await deleteToken(tx.q, found.token_id)
      return found.token_id
    },
    { evenWhenFull: true },
  )
  if (tokenId !== null) liveAccess.recheck({ tokenId })
  return { ok: true }
}

function toWire(deps: DevicesServiceDeps, ctx: Context, row: ListedDevice, currentId: string | null): Device {
  const { devices, apiTokens } = deps
  const { token_id: tokenId } = row
  const usedMs =
    tokenId === null ? null : apiTokens.lastUsedMs({ id: tokenId, last_used_at: row.token_used_at })
  const lastSeenMs = Math.max(devices.lastSeenMs(row), usedMs ?? 0)
  const expiresAtMs = devices.expiresAtMs(row)
  const isCallingToken = tokenId !== null && ctx.actor.kind === 'api_token' && ctx.actor.id === tokenId
  return {
    id: row.id,
    name: row.name,
    kind: row.kind,
    user: row.user_id === null || row.username === null ? null : { id: row.user_id, username: row.username },
    token_id: tokenId,
    address: row.address,
    user_agent: row.user_agent,
    last_seen_at: new Date(lastSeenMs).toISOString(),
    expires_at: new Date(expiresAtMs).toISOString(),
    state: expiresAtMs > ctx.now.getTime() ? 'active' : 'expired',
    is_current: row.id === currentId || isCallingToken,
    approved_by: row.approved_by,
    created_at: new Date(row.created_at).toISOString(),
  }
}
