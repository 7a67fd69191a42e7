import type { z } from 'zod'
import type { LoginReply } from '../../../contract/accounts/auth.ts'
import type { SignInMethod } from '../../../contract/accounts/session.ts'
import { type DeviceRow, findDevice, storeDeviceSignIn } from '../../auth/devices/devices.store.ts'
import type { Devices } from '../../auth/devices/devices.ts'
import { deleteOldestSessions, idleMs, insertSession } from '../../auth/sessions/sessions.store.ts'
import type { Tokens } from '../../auth/tokens/tokens.ts'
import type { SessionsTable } from '../../db/schema/schema.ts'
import type { Db, Tx } from '../../db/types.ts'
import type { History } from '../../history/history.ts'
import type { Context } from '../../lib/context.ts'
import type { NewId } from '../../lib/ids.ts'
import { type Account, findAccount, storeLastLogin } from './accounts.store.ts'
import { newSession, tokenOf } from './new-session.ts'
import { placeOf } from './sign-ins/place.ts'
import { recordSignIn } from './sign-ins/sign-ins.store.ts'

export type OpenSessionDeps = {
  readonly db: Db
  readonly history: History
  readonly newId: NewId
  readonly tokens: Tokens
  readonly devices: Pick<Devices, 'find'>
}

export type Login = z.output<typeof LoginReply>

/**
 * Limit of sessions per user, far above what a person needs. The oldest are ended, so that a script cannot
 * fill the store.
 */
const maxSessionsPerUser = 100

/** A sign-in whose credentials are verified. */
export type Verified = {
  readonly account: Account
  readonly method: SignInMethod
  /**
   * Uses up a credential in the transaction of the sign-in. Returns the end of the audit summary, or null if
   * another request used it first.
   */
  readonly use?: (tx: Tx) => Promise<string | null>
  /** The paired device; by default that of the header `Promptdeck-Device`. */
  readonly device?: DeviceRow
}

const hasSameCredentials = (a: Account, b: Account) =>
  a.password_hash === b.password_hash && a.second_factor === b.second_factor

/**
 * Opens a session. Returns null if the account, the credential or the device changed since it was verified: a
 * device that was revoked meanwhile gets no session.
 */
export async function openSession(
  deps: OpenSessionDeps,
  ctx: Context,
  verified: Verified,
): Promise<Login | null> {
  const deviceId = await deviceIdOf(deps, ctx, verified)
  const opened = await deps.db.write((tx) => storeVerified(deps, tx, ctx, { ...verified, deviceId }), {
    evenWhenFull: true,
  })
  if (opened === null) return null
  const { account, session } = opened
  return {
    ok: true,
    token: tokenOf(deps.tokens, session),
    token_type: 'Bearer',
    expires_at: new Date(Math.min(session.expires_at, session.last_seen_at + idleMs)).toISOString(),
    username: account.username,
    role: account.role,
    must_change_password: account.must_change_password === 1,
  }
}

async function deviceIdOf(
  { devices }: OpenSessionDeps,
  ctx: Context,
  { device }: Verified,
): Promise<string | null> {
  const known = device?.id ?? ctx.pairedDeviceId
  return known ?? (await devices.find(ctx.deviceToken, ctx.now))?.id ?? null
}

async function storeVerified(
  deps: OpenSessionDeps,
  tx: Tx,
  ctx: Context,
  {
    account: verified,
    method,
    use,
    deviceId,
  }: Omit<Verified, 'device'> & { readonly deviceId: string | null },
) {
  const device = deviceId === null ? null : await findDevice(tx.q, deviceId)
  if (device === undefined) return null
  const account = await findAccount(tx.q, verified.id)
  // The account was disabled, deleted or given other credentials while these were verified.
  if (!account || account.disabled === 1 || !hasSameCredentials(account, verified)) return null
  const summaryEnd = use === undefined ? '' : await use(tx)
  if (summaryEnd === null) return null
  const session = await storeSession(deps, tx, ctx, { account, method, device, summaryEnd })
  return { account, session }
}

type SessionOwner = Pick<Account, 'id' | 'username' | 'role'>

/** Stores a session of a user whose credentials are verified, and records the sign-in. */
export async function storeSession(
  { history, newId }: Pick<OpenSessionDeps, 'history' | 'newId'>,
  tx: Tx,
  ctx: Context,
  {
    account,
    method,
    device,
    summaryEnd,
  }: {
    readonly account: SessionOwner
    readonly method: SignInMethod
    readonly device: Pick<DeviceRow, 'id' | 'name'> | null
    /** The end of the audit summary. */
    readonly summaryEnd: string
  },
): Promise<SessionsTable> {
  const session = newSession(ctx, newId(), account.id, { method, deviceId: device?.id ?? null })
  await deleteOldestSessions(tx.q, account.id, maxSessionsPerUser - 1)
  await insertSession(tx.q, session)
  await storeLastLogin(tx.q, account.id, session.created_at)
  await recordSignIn(tx.q, newId(), session, placeOf(session))
  if (device !== null)
    await storeDeviceSignIn(tx.q, device.id, { address: ctx.ip, user_agent: ctx.userAgent })
  await history.record(tx, ctx, {
    action: 'login',
    resource: 'session',
    resourceId: session.id,
    userId: account.id,
    key: account.username,
    summary: `${account.username} signed in${summaryEnd}${device === null ? '' : ` on ${device.name}`}`,
    actor: {
      kind: 'user',
      id: account.id,
      name: account.username,
      role: account.role,
      sessionId: session.id,
    },
  })
  return session
}
