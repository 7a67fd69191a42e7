import { roles } from '../../../contract/common/roles.ts'
import { serviceIdentity } from '../../auth/authenticator.ts'
import { isDeviceToken } from '../../auth/devices/device-tokens.ts'
import type { Identity } from '../../auth/identity/identity.ts'
import type { Throttle } from '../../auth/throttle.ts'
import type { ApiTokens } from '../../auth/tokens/api-tokens.ts'
import type { ServiceToken } from '../../auth/tokens/service-token.ts'
import type { Context } from '../../lib/context.ts'
import { fail } from '../../lib/fail.ts'
import { findAccount } from './accounts.store.ts'
import type { FailedSignIns } from './failed-sign-ins.ts'
import { type Login, type OpenSessionDeps, openSession } from './open-session.ts'

export type TokenSignInDeps = OpenSessionDeps & {
  readonly throttle: Throttle
  readonly serviceToken: ServiceToken
  readonly apiTokens: Pick<ApiTokens, 'identify'>
  readonly failedSignIns: FailedSignIns
}

/**
 * Signs in with a token. An API token or the service token is verified, and the caller then uses it without a
 * session. A device token opens a session.
 */
export async function signInWithToken(deps: TokenSignInDeps, ctx: Context, token: string): Promise<Login> {
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

/** Opens a session with the token of a desktop app. The token of a browser is rejected. */
async function signInWithDevice(deps: TokenSignInDeps, ctx: Context, token: string): Promise<Login> {
  const login = await deps.throttle.attempt('token', ctx.ip, async () => {
    const device = await deps.devices.find(token, ctx.now)
    const isOwned = device?.kind === 'desktop' && device.user_id !== null
    const account = isOwned ? await findAccount(deps.db.read, device.user_id ?? '') : undefined
    const opened =
      device !== null && account?.disabled === 0
        ? await openSession(deps, ctx, { account, method: 'device', device })
        : null
    if (opened === null) await deps.failedSignIns.record(ctx, null)
    return opened
  })
  if (login === null)
    throw fail('auth.invalid_token', { detail: 'That device is unknown, revoked or expired. Pair it again.' })
  return login
}

async function verifyToken(
  { serviceToken, apiTokens, failedSignIns }: TokenSignInDeps,
  ctx: Context,
  token: string,
): Promise<Identity | null> {
  const identity = serviceToken.matches(token) ? serviceIdentity : await apiTokens.identify(token, ctx.now)
  if (identity === null) await failedSignIns.record(ctx, null)
  return identity
}
