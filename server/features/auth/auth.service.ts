import type { z } from 'zod'
import type { LoginBody, Me } from '../../../contract/accounts/auth.ts'
import { type Permission, permissionsOf, type Role, roles } from '../../../contract/common/roles.ts'
import { gatewayAccess } from '../../../contract/gateway/gateway.ts'
import { lacksSecondFactor } from '../../auth/authenticator.ts'
import type { DefaultCredentials } from '../../auth/defaults.ts'
import { findSession, findUser } from '../../auth/identity/identity.store.ts'
import type { LiveAccess } from '../../auth/identity/identity.ts'
import type { SessionActivity } from '../../auth/sessions/session-activity.ts'
import { deleteReplacedSessions, deleteSession } from '../../auth/sessions/sessions.store.ts'
import type { Context } from '../../lib/context.ts'
import type { Login } from './open-session.ts'
import { type PasskeySignInDeps, signInOptions, signInWithPasskey } from './passkeys/sign-in-passkey.ts'
import { type CodeSignInDeps, signInWithCode } from './second-factor/sign-in-code.ts'
import { type PasswordSignInDeps, signInWithPassword } from './sign-in.ts'
import { signInWithToken, type TokenSignInDeps } from './sign-in-token.ts'

export type AuthDeps = PasswordSignInDeps &
  CodeSignInDeps &
  PasskeySignInDeps &
  TokenSignInDeps & {
    readonly activity: SessionActivity
    readonly liveAccess: LiveAccess
    readonly defaults: DefaultCredentials
    readonly permissionOverrides: () => Partial<Record<Permission, Role>>
    readonly isSecondFactorRequired: () => boolean
  }

type LoginInput = z.output<typeof LoginBody>

export type AuthService = ReturnType<typeof createAuthService>

/** Signs callers in and out, and describes the current caller. */
export function createAuthService(deps: AuthDeps) {
  return {
    login: (ctx: Context, body: LoginInput): Promise<Login> => login(deps, ctx, body),
    passkeyOptions: (ctx: Context) => signInOptions(deps, ctx),
    logout: (ctx: Context): Promise<{ ok: true }> => logout(deps, ctx),
    me: (ctx: Context): Promise<Me> => me(deps, ctx),
  }
}

/** Signs in with the credentials of the body. The contract has checked that they are complete. */
function login(deps: AuthDeps, ctx: Context, body: LoginInput): Promise<Login> {
  const { username = '', password = '', token, challenge, code = '', passkey } = body
  if (token !== undefined) return signInWithToken(deps, ctx, token)
  if (passkey !== undefined) return signInWithPasskey(deps, ctx, passkey)
  if (challenge !== undefined) return signInWithCode(deps, ctx, challenge, code)
  return signInWithPassword(deps, ctx, username, password)
}

/** Ends the session immediately. A token without a session has nothing to end. */
async function logout({ db, history, liveAccess }: AuthDeps, ctx: Context): Promise<{ ok: true }> {
  const { id, name, sessionId } = ctx.actor
  if (id === null || sessionId === null) return { ok: true }
  await db.write(
    async (tx) => {
      if (!(await deleteSession(tx.q, sessionId, id))) return
      await deleteReplacedSessions(tx.q, id)
      await history.record(tx, ctx, {
        action: 'logout',
        resource: 'session',
        resourceId: sessionId,
        userId: id,
        key: name,
        summary: `${name} signed out`,
      })
    },
    { evenWhenFull: true },
  )
  liveAccess.recheck({ userId: id })
  return { ok: true }
}

async function me(deps: AuthDeps, ctx: Context): Promise<Me> {
  const { db, activity, defaults, permissionOverrides, isSecondFactorRequired } = deps
  const { id, name, sessionId, kind } = ctx.actor
  const role = ctx.actor.role ?? roles[0]
  const session = sessionId === null ? undefined : await findSession(db.read, sessionId)
  const user = id === null ? undefined : await findUser(db.read, id)
  const { memberships } = ctx.actor
  // With listed workspaces nobody creates workspaces, whatever the setting.
  const overrides = memberships === undefined ? permissionOverrides() : {}
  return {
    id,
    username: name,
    role,
    access: memberships === undefined ? 'all' : 'listed',
    memberships: [...(memberships ?? [])].map(([workspace_id, role]) => ({ workspace_id, role })),
    permissions: permissionsOf(role, overrides).filter(
      // The role alone does not suffice, and a session never does.
      (permission) =>
        permission !== gatewayAccess.permission ||
        kind === 'service_token' ||
        ctx.actor.gateway !== undefined,
    ),
    auth: kind === 'user' ? 'session' : kind === 'api_token' ? 'api_token' : 'service_token',
    must_change_password: user?.must_change_password === 1,
    second_factor: user?.second_factor === 1,
    must_set_up_second_factor:
      user !== undefined &&
      session !== undefined &&
      lacksSecondFactor(user, session, isSecondFactorRequired()),
    expires_at: session ? new Date(activity.endsAtMs(session)).toISOString() : null,
    defaults: { ...defaults.active() },
  }
}
