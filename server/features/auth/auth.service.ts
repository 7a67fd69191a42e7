import type { z } from 'zod'
import type { LoginBody, Me } from '../../../contract/accounts/auth.ts'
import { type Permission, permissionsOf, type Role, roles } from '../../../contract/common/roles.ts'
import type { DefaultCredentials } from '../../auth/defaults.ts'
import { findSession, findUser } from '../../auth/identity/identity.store.ts'
import type { LiveAccess } from '../../auth/identity/identity.ts'
import type { SessionActivity } from '../../auth/sessions/session-activity.ts'
import { deleteReplacedSessions, deleteSession } from '../../auth/sessions/sessions.store.ts'
import type { Context } from '../../lib/context.ts'
import type { Login } from './open-session.ts'
import { type SignInDeps, signInWithPassword, signInWithToken } from './sign-in.ts'

export type AuthDeps = SignInDeps & {
  readonly activity: SessionActivity
  readonly liveAccess: LiveAccess
  readonly defaults: DefaultCredentials
  readonly permissionOverrides: () => Partial<Record<Permission, Role>>
}

export type AuthService = ReturnType<typeof createAuthService>

/** Signs callers in and out, and describes the current caller. */
export function createAuthService(deps: AuthDeps) {
  return {
    login(ctx: Context, body: z.output<typeof LoginBody>): Promise<Login> {
      const { username = '', password = '', token } = body
      return token === undefined
        ? signInWithPassword(deps, ctx, username, password)
        : signInWithToken(deps, ctx, token)
    },
    logout: (ctx: Context): Promise<{ ok: true }> => logout(deps, ctx),
    me: (ctx: Context): Promise<Me> => me(deps, ctx),
  }
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

async function me({ db, activity, defaults, permissionOverrides }: AuthDeps, ctx: Context): Promise<Me> {
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
    permissions: permissionsOf(role, overrides),
    auth: kind === 'user' ? 'session' : kind === 'api_token' ? 'api_token' : 'service_token',
    must_change_password: user?.must_change_password === 1,
    expires_at: session ? new Date(activity.endsAtMs(session)).toISOString() : null,
    defaults: { ...defaults.active() },
  }
}
