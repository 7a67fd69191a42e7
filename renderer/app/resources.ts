import type { Me } from '../../contract/accounts/auth.ts'
import { agents } from '../features/agents/agents.resource.ts'
import { alerts } from '../features/alerts/alerts.resource.ts'
import { audit } from '../features/audit/audit.resource.ts'
import { clients } from '../features/clients/clients.resource.ts'
import { devices } from '../features/devices/devices.resource.ts'
import { overview } from '../features/overview/overview.resource.ts'
import { playground } from '../features/playground/playground.resource.ts'
import { profile } from '../features/profile/profile.resource.ts'
import { prompts } from '../features/prompts/prompts.resource.ts'
import { providers } from '../features/providers/providers.resource.ts'
import { runs } from '../features/runs/runs.resource.ts'
import { sessions } from '../features/sessions/sessions.resource.ts'
import { settings } from '../features/settings/settings.resource.ts'
import { statistics } from '../features/statistics/statistics.resource.ts'
import { tokens } from '../features/tokens/tokens.resource.ts'
import { traces } from '../features/traces/traces.resource.ts'
import { users } from '../features/users/users.resource.ts'
import { views } from '../features/views/views.resource.ts'
import { workflows } from '../features/workflows/workflows.resource.ts'
import { workspaces } from '../features/workspaces/workspaces.resource.ts'
import type { Resource } from '../lib/page/resource.ts'
import type { ResourcePages } from '../shared/audit/resourcePages.ts'

/**
 * All resources of the console, with their exact types. The order is that of the items in each group of the
 * navigation, and of the results in the palette.
 */
export const manifests = [
  users,
  devices,
  tokens,
  providers,
  settings,
  prompts,
  playground,
  agents,
  workflows,
  workspaces,
  overview,
  statistics,
  runs,
  sessions,
  traces,
  views,
  clients,
  alerts,
  audit,
  profile,
] as const

type Manifest = (typeof manifests)[number]
type ItemPath = Extract<Manifest, { items: object }>['items']['path']

export type ConsoleResource = Resource<Manifest['pages'][0]['path'], ItemPath>

/** The same list with one type for all resources, for navigation, palette and audit links. */
export const resources: readonly ConsoleResource[] = [...manifests]

/** True if the user may open the pages of a resource. */
export const mayOpen = ({ permissions }: Me, { permission }: ConsoleResource): boolean =>
  permission === undefined || permissions.includes(permission)

/** True if the navigation shows the resource to this user. */
export const isInNavigation = (me: Me, resource: ConsoleResource): boolean => {
  const required = resource.navigation?.permission
  return mayOpen(me, resource) && (required === undefined || me.permissions.includes(required))
}

/** The page that shows the items of each kind, for audit entries. */
export const resourcePages: ResourcePages = Object.fromEntries(
  resources.flatMap(({ permission, items }) =>
    items === undefined ? [] : [[items.kind, { ...items, permission }]],
  ),
)
