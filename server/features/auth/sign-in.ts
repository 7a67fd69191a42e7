import { roles } from '../../../contract/common/roles.ts'
import { serviceIdentity } from '../../auth/authenticator.ts'
import { isDeviceToken } from '../../auth/devices/device-tokens.ts'
import type { DeviceRow } from '../../auth/devices/devices.store.ts'
import type { Devices } from '../../auth/devices/devices.ts'
import type { Identity } from '../../auth/identity/identity.ts'
import type { Passwords } from '../../auth/passwords/passwords.ts'
import type { Throttle } from '../../auth/throttle.ts'
import type { ApiTokens } from '../../auth/tokens/api-tokens.ts'
import type { ServiceToken } from '../../auth/tokens/service-token.ts'
import type { Tokens } from '../../auth/tokens/tokens.ts'
import type { Db } from '../../db/types.ts'
import type { History } from '../../history/history.ts'
import type { Context } from '../../lib/context.ts'
import { fail } from '../../lib/fail.ts'
import type { NewId } from '../../lib/ids.ts'
import { type Account, findAccount, findAccountByName } from './accounts.store.ts'
import type { FailedSignIns } from './failed-sign-ins.ts'
import { type Login, loginOf, openSession } from './open-session.ts'

export type SignInDeps = {
  readonly db: Db
  readonly history: History
  readonly newId: NewId
  readonly passwords: Passwords
  readonly tokens: Tokens
  readonly throttle: Throttle
  readonly serviceToken: ServiceToken
  readonly apiTokens: Pick<ApiTokens, 'identify'>
  readonly failedSignIns: FailedSignIns
  readonly devices: Pick<Devices, 'find'>
}

/** Signs a user in. Throws 401, or 429 after too many failures. */
export async function signInWithPassword(
  deps: SignInDeps,
  ctx: Context,
  username: string,
  password: string,
): Promise<Login> {
  const verified = await verifyCredentials(deps, ctx, username, password)
  const device = await deps.devices.find(ctx.deviceToken, ctx.now)
  const login = await openVerified(deps, ctx, verified, device)
  if (login === null) throw fail('auth.invalid_credentials')
  return login
}

/**
 * Returns the active user with this name and password. Throws 401, or 429 after too many failures. A paired
 * device and a sign-in use the same check.
 */
export async function verifyCredentials(
  deps: SignInDeps,
  ctx: Context,
  username: string,
  password: string,
): Promise<Account> {
  const verified = await deps.throttle.attempt(username, ctx.ip, () =>
    verifyPassword(deps, ctx, username, password),
  )
  if (verified === null) throw fail('auth.invalid_credentials')
  return verified
}

/**
 * Returns the account for a name and password, or null. The time and the reply are the same in all failed
 * cases.
 */
async function verifyPassword(
  { db, passwords, failedSignIns }: SignInDeps,
  ctx: Context,
  username: string,
  password: string,
): Promise<Account | null> {
  const account = await findAccountByName(db.read, username)
  const isRight = await passwords.matches(password, account?.password_hash ?? null)
  if (account && isRight && account.disabled === 0) return account
  await failedSignIns.record(ctx, account?.username ?? null)
  return null
}

/** Opens a session. Returns null if the account changed since it was verified. */
function openVerified(
  deps: SignInDeps,
  ctx: Context,
  verified: Account,
  device: DeviceRow | null,
): Promise<Login | null> {
  return deps.db.write(
    async (tx) => {
      const account = await findAccount(tx.q, verified.id)
      // The account was disabled, deleted or given another password during the password check.
      if (!account || account.disabled === 1 || account.password_hash !== verified.password_hash) return null
      return loginOf(deps.tokens, await openSession(deps, tx, ctx, account, device), account)
    },
    { evenWhenFull: true },
  )
}

/** Opens a session with the token of a desktop app. A browser's token signs nobody in. */
async function signInWithDevice(deps: SignInDeps, ctx: Context, token: string): Promise<Login> {
  const login = await deps.throttle.attempt('token', ctx.ip, async () => {
    const device = await deps.devices.find(token, ctx.now)
    const isOwned = device?.kind === 'desktop' && device.user_id !== null
    const account = isOwned ? await findAccount(deps.db.read, device.user_id ?? '') : undefined
    const opened = account?.disabled === 0 ? await openVerified(deps, ctx, account, device) : null
    if (opened === null) await deps.failedSignIns.record(ctx, null)
    return opened
  })
  if (login === null)
    throw fail('auth.invalid_token', { detail: 'That device is unknown, revoked or expired. Pair it again.' })
  return login
}

/** Verifies an API token or the service token, which the caller then uses without a session. */
export async function signInWithToken(deps: SignInDeps, ctx: Context, token: string): Promise<Login> {
  if (isDeviceToken(token)) return signInWithDevice(deps, ctx, token)
  const { db, history, throttle } = deps
  const identity = await throttle.attempt('token', ctx.ip, () => verifyToken(deps, ctx, token))
  if (!identity) throw fail('auth.invalid_token', { detail: 'That token is not accepted.' })
  const { actor, expiresAt } = identity
  await db.write(
    (tx) =>
      history.record(tx, ctx, {
        action: 'login',
        resource: 'session',
        resourceId: actor.id,
        key: actor.name,
        summary: `${actor.name} signed in`,
        actor,
      }),
    { evenWhenFull: true },
  )
  return {
    ok: true,
    token,
    token_type: 'Bearer',
    expires_at: expiresAt?.toISOString() ?? null,
    username: actor.name,
    role: actor.role ?? roles[0],
    must_change_password: false,
  }
}

async function verifyToken(
  { serviceToken, apiTokens, failedSignIns }: SignInDeps,
  ctx: Context,
  token: string,
): Promise<Identity | null> {
  const identity = serviceToken.matches(token) ? serviceIdentity : await apiTokens.identify(token, ctx.now)
  if (identity === null) await failedSignIns.record(ctx, null)
  return identity
}
