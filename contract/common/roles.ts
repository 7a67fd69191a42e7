import { z } from 'zod'

/** Roles in ascending order; each includes the permissions of the previous one. */
export const roles = ['viewer', 'editor', 'admin'] as const
export const Role = z.enum(roles)
export type Role = z.infer<typeof Role>

export const actorKinds = ['user', 'api_token', 'service_token', 'system', 'anonymous'] as const
export type ActorKind = (typeof actorKinds)[number]

/**
 * The lowest role with each permission. The setting `workspace_creation_role` may lower `workspaces.create`.
 */
export const permissionRoles = {
  'resources.read': 'viewer',
  'resources.run': 'viewer',
  'resources.write': 'editor',
  /** Sets which environments a workspace protects, and changes what is served in them. */
  'environments.protected': 'admin',
  'workspaces.read': 'viewer',
  'workspaces.create': 'editor',
  'workspaces.edit': 'editor',
  'workspaces.delete': 'admin',
  'runs.read': 'viewer',
  'runs.report': 'viewer',
  /** Also requires an API token that allows it, or the service token. */
  'gateway.use': 'viewer',
  'alerts.read': 'viewer',
  'alerts.write': 'editor',
  'views.save': 'viewer',
  /** Shares views with a workspace. */
  'views.share': 'editor',
  'audit.read': 'viewer',
  'audit.verify': 'admin',
  'clients.read': 'viewer',
  'clients.disconnect': 'admin',
  'users.manage': 'admin',
  'settings.manage': 'admin',
  'providers.manage': 'admin',
  'tokens.manage': 'admin',
  'devices.manage': 'admin',
  'backups.manage': 'admin',
} as const satisfies Record<string, Role>

export type Permission = keyof typeof permissionRoles

/**
 * The permissions that a role in a workspace grants there. All others, such as managing users, require the role of the
 * account.
 */
export const workspacePermissions: ReadonlySet<Permission> = new Set<Permission>([
  'resources.read',
  'resources.run',
  'resources.write',
  'environments.protected',
  'workspaces.read',
  'workspaces.edit',
  'workspaces.delete',
  'runs.read',
  'runs.report',
  'gateway.use',
  'alerts.read',
  'alerts.write',
  'views.save',
  'views.share',
  'audit.read',
  'clients.read',
  'clients.disconnect',
])

/** The permissions that a role adds to the previous one, as a sentence. */
export const roleDescriptions: Readonly<Record<Role, string>> = {
  viewer: 'Reads everything and runs prompts, agents and workflows.',
  editor: 'Also creates, edits, deletes and publishes, except what a protected environment serves.',
  admin:
    'Also sets which environments are protected and changes what they serve, manages users and settings, and deletes workspaces.',
}

/** The description of each permission for the documentation. */
export const permissionDescriptions: Readonly<Record<Permission, string>> = {
  'resources.read': 'Read prompts, agents and workflows, their versions, and what apps are served',
  'resources.run': 'Run prompts, agents and workflows, and use the Playground',
  'resources.write':
    'Create, edit, move, import, publish, roll back, promote and delete prompts, agents and workflows, except what a protected environment serves',
  'environments.protected':
    'Set which environments a workspace protects; publish, roll back, promote into and delete there',
  'workspaces.read': 'See workspaces',
  'workspaces.create': 'Create workspaces (a setting can give this to viewers)',
  'workspaces.edit': 'Rename and describe workspaces',
  'workspaces.delete': 'Delete workspaces',
  'runs.read': 'Read the run log and its statistics',
  'runs.report': 'Report runs',
  'gateway.use': 'Call models through the gateway, with an API token that allows it',
  'alerts.read': 'See alerts and their history',
  'alerts.write': 'Create, change, test and delete alerts, except webhooks on the local network',
  'views.save': 'Use saved views, and save your own',
  'views.share': 'Share saved views with a workspace',
  'audit.read': 'Read and export the audit log',
  'audit.verify': 'Verify the hash chain of the audit log',
  'clients.read': 'See connected clients',
  'clients.disconnect': 'Disconnect a client',
  'users.manage': 'Add, change and delete users, and end their sessions',
  'settings.manage': 'Change settings, prices and the service token',
  'providers.manage': 'Set up model providers: addresses, keys, models',
  'tokens.manage': 'Create and revoke the API tokens of apps',
  'devices.manage': 'Add devices, and see, rename and revoke those of all users',
  'backups.manage': 'Create, download and delete backups',
}

export function hasRole(role: Role, required: Role): boolean {
  return roles.indexOf(role) >= roles.indexOf(required)
}

/**
 * Returns all permissions of a role. `overrides` contains the settings that give a permission to another
 * role.
 */
export function permissionsOf(role: Role, overrides: Partial<Record<Permission, Role>> = {}): Permission[] {
  return (Object.keys(permissionRoles) as Permission[]).filter((permission) =>
    hasRole(role, overrides[permission] ?? permissionRoles[permission]),
  )
}

/** Maximum number of users of a role that are named; the others are only counted. */
export const maxHolders = 5

const permissions = Object.keys(permissionRoles) as [Permission, ...Permission[]]
export const RoleInfo = z.object({
  role: Role,
  description: z.string(),
  permissions: z.array(z.enum(permissions)),
  holders: z.array(z.string()).meta({
    description: `At most ${maxHolders} usernames of active users, latest sign-in first; empty for viewers`,
  }),
  holder_count: z.int().meta({ description: 'Number of active users with exactly this role' }),
})
export type RoleInfo = z.infer<typeof RoleInfo>
