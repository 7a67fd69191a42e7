import { z } from 'zod'

/** From least to most: each role may do all that the one before it may. */
export const roles = ['viewer', 'editor', 'admin'] as const
export const Role = z.enum(roles)
export type Role = z.infer<typeof Role>

export const actorKinds = ['user', 'api_token', 'service_token', 'system', 'anonymous'] as const
export type ActorKind = (typeof actorKinds)[number]

/** The least role that holds each permission. `workspaces.create` may be lowered by the setting `workspace_creation_role`. */
export const permissionRoles = {
  'resources.read': 'viewer',
  'resources.run': 'viewer',
  'resources.write': 'editor',
  'workspaces.read': 'viewer',
  'workspaces.create': 'editor',
  'workspaces.edit': 'editor',
  'workspaces.delete': 'admin',
  'runs.read': 'viewer',
  'runs.report': 'viewer',
  'audit.read': 'viewer',
  'audit.verify': 'admin',
  'clients.read': 'viewer',
  'clients.disconnect': 'admin',
  'users.manage': 'admin',
  'settings.manage': 'admin',
  'backups.manage': 'admin',
} as const satisfies Record<string, Role>

export type Permission = keyof typeof permissionRoles

/** Whether `role` is at least `required`. */
export function hasRole(role: Role, required: Role): boolean {
  return roles.indexOf(role) >= roles.indexOf(required)
}

/** Every permission of a role. `overrides` carries the settings that move a permission to another role. */
export function permissionsOf(role: Role, overrides: Partial<Record<Permission, Role>> = {}): Permission[] {
  return (Object.keys(permissionRoles) as Permission[]).filter((permission) =>
    hasRole(role, overrides[permission] ?? permissionRoles[permission]),
  )
}
