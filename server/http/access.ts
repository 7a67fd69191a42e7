import type { Endpoint } from '../../contract/endpoint.ts'
import { hasRole, type Permission, permissionRoles, type Role } from '../../contract/roles.ts'
import type { Identity } from '../auth/identity.ts'
import { fail } from '../lib/fail.ts'

export type PermissionOverrides = () => Partial<Record<Permission, Role>>

/** Throws the 403 that stands between this identity and this endpoint, if any does. */
export function requireAccess(endpoint: Endpoint, identity: Identity, overrides: PermissionOverrides): void {
  if (endpoint.sessionOnly && identity.auth !== 'session') {
    throw fail('auth.forbidden', {
      detail: 'This needs a signed-in user; a service or API token has no password and no sessions.',
    })
  }
  if (identity.actor.limits !== undefined && !endpoint.forApps) {
    throw fail('auth.forbidden', {
      detail:
        'This token is limited to a workspace or namespaces: it fetches prompts, reports runs and listens, nothing else.',
    })
  }
  if (identity.isBlocked && !endpoint.whileMustChange) {
    throw fail('auth.password_change_required', {
      detail: 'Choose a new password with PUT /api/me/password; until then nothing else is open to you.',
    })
  }
  const { permission } = endpoint
  if (permission === 'public' || permission === 'signed_in') return
  const requiredRole = overrides()[permission] ?? permissionRoles[permission]
  const { role } = identity.actor
  if (role === null || !hasRole(role, requiredRole)) {
    throw fail('auth.forbidden', {
      detail: `This needs the role ${requiredRole}; yours is ${role ?? 'none'}.`,
      requiredRole,
    })
  }
}

/** The token of an `Authorization: Bearer …` header; null when there is none or it is of another scheme. */
export function bearerToken(header: string | undefined): string | null {
  return /^Bearer +([^\s]+)$/i.exec(header ?? '')?.[1] ?? null
}
