import { z } from 'zod'
import { item } from './common.ts'
import { endpoint } from './endpoint.ts'

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
  /** Says which environments a workspace protects, and changes what is served there. */
  'environments.protected': 'admin',
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

/** How many holders of a role are named; the rest is counted. */
export const namedHolders = 5

const permissions = Object.keys(permissionRoles) as [Permission, ...Permission[]]
export const RoleInfo = z.object({
  role: Role,
  description: z.string(),
  permissions: z.array(z.enum(permissions)),
  holders: z.array(z.string()).meta({
    description: `At most ${namedHolders} usernames of active users, who signed in last first; none for viewers`,
  }),
  holder_count: z.int().meta({ description: 'How many active users have exactly this role' }),
})
export type RoleInfo = z.infer<typeof RoleInfo>

export const roleEndpoints = {
  list: endpoint({
    tag: 'Roles',
    method: 'GET',
    path: '/api/roles',
    summary: 'What each role may do, and whom to ask',
    description:
      'For anyone signed in, so that a refusal can say who can help. A few editors and admins are named; viewers are only counted, for nobody needs to find one.',
    permission: 'signed_in',
    reply: item(z.array(RoleInfo)),
    example: {
      reply: {
        data: [
          {
            role: 'admin',
            description: 'Also manages users and settings, and deletes workspaces.',
            permissions: [...permissions],
            holders: ['edda'],
            holder_count: 1,
          },
        ],
      },
    },
  }),
}
