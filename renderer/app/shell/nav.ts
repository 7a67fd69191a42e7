import {
  IconActivity,
  IconChartBar,
  IconFlask,
  IconHistory,
  IconLayersSubtract,
  IconMessage2Code,
  IconPlugConnected,
  IconRobot,
  IconServerBolt,
  IconSettings,
  IconSitemap,
  IconUsers,
} from '@tabler/icons-react'
import type { Permission } from '../../../contract/roles.ts'
import type { TextKey } from '../../lib/i18n.ts'

export type NavItem = {
  readonly to:
    | '/'
    | '/runs/{-$id}'
    | '/clients/{-$id}'
    | '/audit/{-$id}'
    | '/prompts'
    | '/playground'
    | '/agents'
    | '/workflows'
    | '/workspaces/{-$id}'
    | '/users/{-$id}'
    | '/providers'
    | '/settings'
  readonly label: TextKey
  readonly icon: typeof IconUsers
  /** `g` and then this letter open the page. */
  readonly jump: string
  /** Permission the page requires. Without it every user may open the page. */
  readonly permission?: Permission
}

export type NavGroup = { readonly label: TextKey; readonly items: readonly NavItem[] }

/** The pages by group, in the order of use. A group without an allowed item is not shown. */
export const navigation: readonly NavGroup[] = [
  {
    label: 'shell:nav.observe',
    items: [
      { to: '/', label: 'shell:nav.overview', icon: IconChartBar, jump: 'o' },
      { to: '/runs/{-$id}', label: 'shell:nav.runs', icon: IconActivity, jump: 'r', permission: 'runs.read' },
      {
        to: '/clients/{-$id}',
        label: 'shell:nav.clients',
        icon: IconPlugConnected,
        jump: 'c',
        permission: 'clients.read',
      },
      {
        to: '/audit/{-$id}',
        label: 'shell:nav.audit',
        icon: IconHistory,
        jump: 'a',
        permission: 'audit.read',
      },
    ],
  },
  {
    label: 'shell:nav.build',
    items: [
      {
        to: '/prompts',
        label: 'shell:nav.prompts',
        icon: IconMessage2Code,
        jump: 'p',
        permission: 'resources.read',
      },
      {
        to: '/playground',
        label: 'shell:nav.playground',
        icon: IconFlask,
        jump: 'l',
        permission: 'resources.run',
      },
      {
        to: '/agents',
        label: 'shell:nav.agents',
        icon: IconRobot,
        jump: 'e',
        permission: 'resources.read',
      },
      {
        to: '/workflows',
        label: 'shell:nav.workflows',
        icon: IconSitemap,
        jump: 'f',
        permission: 'resources.read',
      },
      {
        to: '/workspaces/{-$id}',
        label: 'shell:nav.workspaces',
        icon: IconLayersSubtract,
        jump: 'w',
        permission: 'workspaces.read',
      },
    ],
  },
  {
    label: 'shell:nav.admin',
    items: [
      {
        to: '/users/{-$id}',
        label: 'shell:nav.users',
        icon: IconUsers,
        jump: 'u',
        permission: 'users.manage',
      },
      {
        to: '/providers',
        label: 'shell:nav.providers',
        icon: IconServerBolt,
        jump: 'm',
        permission: 'providers.manage',
      },
      {
        to: '/settings',
        label: 'shell:nav.settings',
        icon: IconSettings,
        jump: 's',
        permission: 'settings.manage',
      },
    ],
  },
]

export const navItems: readonly NavItem[] = navigation.flatMap((group) => group.items)
