import type { AccessRule } from '../../contract/common/endpoint.ts'
import { hasRole, type Permission, permissionRoles, type Role, roles } from '../../contract/common/roles.ts'
import { gatewayAccess } from '../../contract/gateway/gateway.ts'
import type { Identity } from '../auth/identity/identity.ts'
import { fail } from '../lib/fail.ts'

/** Returns the roles that settings give to permissions in place of the defaults. */
export type PermissionOverrides = () => Partial<Record<Permission, Role>>

type Denial =
  | 'session_only'
  | 'limited_token'
  | 'password'
  | 'second_factor'
  | 'passkey'
  | 'listed'
  | 'gateway_token'
  | 'gateway_session'
  | 'role'

/** Returns the role that an endpoint requires; null if it requires none. */
export function roleOf({ permission }: AccessRule, overrides: PermissionOverrides): Role | null {
  if (permission === 'public' || permission === 'signed_in') return null
  return overrides()[permission] ?? permissionRoles[permission]
}

/**
 * Returns the highest role with which this identity can call the endpoint in any workspace. The service then
 * requires the role in the workspace of the request. A role in a workspace grants nothing on routes without one.
 */
function highestRole({ workspaces }: AccessRule, { actor }: Identity): Role | null {
  const { role, memberships } = actor
  if (memberships === undefined || workspaces === 'none' || workspaces === 'all') return role
  return [...memberships.values()].reduce(
    (high, each) => (hasRole(high, each) ? high : each),
    role ?? roles[0],
  )
}

/**
 * Returns why this identity may not call this endpoint, or null if it may. Used for routes and for live
 * frames.
 */
export function denialOf(
  endpoint: AccessRule,
  identity: Identity,
  overrides: PermissionOverrides,
): Denial | null {
  if (endpoint.sessionOnly && identity.auth !== 'session') return 'session_only'
  if (identity.actor.limits !== undefined && !endpoint.forApps) return 'limited_token'
  const blocked = blockOf(endpoint, identity) ?? gatewayDenialOf(endpoint, identity)
  if (blocked !== null) return blocked
  if (endpoint.workspaces === 'all' && identity.actor.memberships !== undefined) return 'listed'
  const required = roleOf(endpoint, overrides)
  const role = highestRole(endpoint, identity)
  return required === null || (role !== null && hasRole(role, required)) ? null : 'role'
}

/** Returns what a blocked user must do first; null if the user is not blocked or may call this endpoint. */
function blockOf(endpoint: AccessRule, identity: Identity): Denial | null {
  if (!identity.isBlocked || endpoint.whileMustChange) return null
  if (!identity.mustSetUpSecondFactor) return 'password'
  if (identity.mustUsePasskey) return 'passkey'
  return endpoint.whileMustSetUp ? null : 'second_factor'
}

/** Returns the denial of the gateway, for which a role alone does not suffice. */
function gatewayDenialOf({ permission }: AccessRule, identity: Identity): Denial | null {
  if (permission !== gatewayAccess.permission) return null
  if (identity.auth === 'session') return 'gateway_session'
  return mayUseGateway(identity) ? null : 'gateway_token'
}

/** Returns true for the service token, and for an API token with the permission. */
const mayUseGateway = ({ auth, actor }: Pick<Identity, 'auth' | 'actor'>): boolean =>
  auth === 'service_token' || actor.gateway !== undefined

/** Throws a 403 if this identity may not call this endpoint. */
export function requireAccess(
  endpoint: AccessRule,
  identity: Identity,
  overrides: PermissionOverrides,
): void {
  const denial = denialOf(endpoint, identity, overrides)
  if (denial === null) return
  if (denial === 'second_factor') {
    throw fail('auth.second_factor_setup_required', {
      detail:
        'Set up two-factor authentication in the console or with POST /api/me/second-factor, or sign in with a passkey. Until then, all other requests are rejected.',
    })
  }
  if (denial === 'passkey') {
    throw fail('auth.second_factor_setup_required', {
      detail:
        'Two-factor authentication is required. Sign in with your passkey. If you lost it, ask an admin to reset your second factor.',
    })
  }
  if (denial === 'password') {
    throw fail('auth.password_change_required', {
      detail: 'Choose a new password with PUT /api/me/password. Until then, all other requests are rejected.',
    })
  }
  if (denial === 'session_only') {
    throw fail('auth.forbidden', {
      detail: 'This requires a signed-in user. Service and API tokens have no password or sessions.',
    })
  }
  if (denial === 'limited_token') {
    throw fail('auth.forbidden', {
      detail:
        'This token is limited to a workspace or to environments. It can only fetch prompts, report runs and telemetry, receive live events, use published prompts over MCP and, if it has that permission, call the gateway.',
    })
  }
  if (denial === 'gateway_session') {
    throw fail('auth.forbidden', { detail: 'The gateway requires an API token. An admin can create one.' })
  }
  if (denial === 'gateway_token') {
    throw fail('auth.forbidden', {
      detail: 'This API token may not use the gateway. An admin can allow it under API tokens.',
    })
  }
  if (denial === 'listed') {
    throw fail('auth.forbidden', {
      detail: 'This requires access to all workspaces; yours is limited to a list.',
    })
  }
  const requiredRole = roleOf(endpoint, overrides)
  throw fail('auth.forbidden', {
    detail: `This requires the role ${requiredRole}; yours is ${highestRole(endpoint, identity) ?? 'none'}.`,
    ...(requiredRole !== null && { requiredRole }),
  })
}
