import type { DeviceKind } from '../../../contract/accounts/devices.ts'
import { newDeviceToken } from '../../auth/devices/device-tokens.ts'
import { type DeviceRow, insertDevice } from '../../auth/devices/devices.store.ts'
import type { Tx } from '../../db/types.ts'
import type { Context } from '../../lib/context.ts'
import { fail } from '../../lib/fail.ts'
import { fold } from '../../lib/text/search.ts'
import * as audit from './pairing.audit.ts'
import type { Admission, Applicant, PairingRequestState } from './pairing.records.ts'
import type { PairingState, SessionOwner } from './pairing.state.ts'

type Request<NewUser> = PairingRequestState<NewUser>

/** Admits a device: stores its user if it is new, the device, and the session or API token. */
export async function admit<NewUser>(
  state: PairingState<NewUser>,
  tx: Tx,
  ctx: Context,
  request: Request<NewUser>,
): Promise<Admission> {
  await state.history.record(tx, ctx, audit.approved(request))
  const { applicant } = request
  if (applicant.kind === 'none') return admitApp(state, tx, ctx, request)
  const user = await userOf(state, tx, ctx, applicant)
  const { token, hash } = newDeviceToken()
  const device = await addDevice(state, tx, ctx, request, {
    hash,
    token_id: null,
    user_id: user.id,
    expires_at: ctx.now.getTime() + state.devices.lifetimeMs(),
  })
  const wireUser = { id: user.id, username: user.username, role: user.role }
  if (request.kind === 'desktop') return { token, user: wireUser }
  const from: Context = { ...ctx, ip: request.address, userAgent: request.userAgent }
  const session = await state.accounts.openSession(tx, from, user, device)
  return { token: session, device_token: token, user: wireUser }
}

/**
 * Returns the user of the device. An existing user keeps role and access, regardless of those of the pairing
 * window.
 */
async function userOf<NewUser>(
  { accounts }: PairingState<NewUser>,
  tx: Tx,
  ctx: Context,
  applicant: Exclude<Applicant<NewUser>, { readonly kind: 'none' }>,
): Promise<SessionOwner> {
  if (applicant.kind === 'new') return accounts.insert(tx, ctx, applicant.user)
  const { id, username, password_hash, second_factor } = applicant.account
  const current = await accounts.findActive(tx.q, id)
  if (current?.password_hash === password_hash && current.second_factor === second_factor) return current
  throw fail('pairing.ended', {
    detail: `The account of ${username} was disabled, deleted or given another password or second factor. Refuse this request, and pair the device again.`,
  })
}

async function admitApp<NewUser>(
  state: PairingState<NewUser>,
  tx: Tx,
  ctx: Context,
  request: Request<NewUser>,
): Promise<Admission> {
  const { name, window } = request
  const expiresAt = new Date(ctx.now.getTime() + state.devices.lifetimeMs())
  const created = await state.accounts.createToken(tx, ctx, { ...window.rights, name, expiresAt })
  await addDevice(state, tx, ctx, request, {
    hash: null,
    token_id: created.id,
    user_id: ctx.actor.kind === 'user' ? ctx.actor.id : null,
    expires_at: created.expiresAtMs,
  })
  return { token: created.token }
}

type Credentials = Pick<DeviceRow, 'hash' | 'token_id' | 'user_id' | 'expires_at'>

async function addDevice<NewUser>(
  { newId, history }: PairingState<NewUser>,
  tx: Tx,
  ctx: Context,
  request: Request<NewUser>,
  credentials: Credentials,
): Promise<DeviceRow> {
  const kind: DeviceKind = request.kind
  const device: DeviceRow = {
    id: newId(),
    name: request.name,
    name_folded: fold(request.name),
    kind,
    ...credentials,
    address: request.address,
    user_agent: request.userAgent,
    last_seen_at: ctx.now.getTime(),
    approved_by: ctx.actor.name,
    created_at: ctx.now.getTime(),
  }
  await insertDevice(tx.q, device)
  await history.record(tx, ctx, {
    action: 'create',
    resource: 'device',
    resourceId: device.id,
    ...(device.user_id !== null && { userId: device.user_id }),
    key: device.name,
    summary: `Added the device ${device.name} (${kind})`,
    after: {
      name: device.name,
      kind,
      user_id: device.user_id,
      token_id: device.token_id,
      address: device.address,
      expires_at: new Date(device.expires_at).toISOString(),
    },
  })
  return device
}
