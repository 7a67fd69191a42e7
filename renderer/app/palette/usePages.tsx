import { IconSettings } from '@tabler/icons-react'
import { useNavigate } from '@tanstack/react-router'
import { t } from '../../lib/i18n.ts'
import { useMe } from '../../lib/session/me.ts'
import { mayOpen, resources } from '../resources.ts'
import { isNavItem, navItems } from '../shell/navigation/nav.ts'
import type { Item } from './items.ts'

const workspaceOnly = ({ workspace }: { workspace?: string | undefined }) => ({ workspace })
/** Settings that users search by name, and the section of the page that has each. */
const settings = [
  ['runs', 'runs'],
  ['capture', 'runs'],
  ['payloads', 'payloads'],
  ['workspaces', 'workspaces'],
  ['prices', 'prices'],
  ['network', 'network'],
  ['sign_in', 'sign_in'],
  ['token_rules', 'token_rules'],
  ['token', 'token'],
  ['backups', 'backups'],
  ['about', 'about'],
] as const

/** The resources in the order of the navigation, then those without an item there. */
const orderedResources = [...navItems, ...resources.filter((resource) => !isNavItem(resource))]

/** Returns the pages that the user may open. */
export function usePages(): readonly Item[] {
  const me = useMe()
  const navigate = useNavigate()
  const isSettingsAllowed = me.permissions.includes('settings.manage')
  return [
    ...orderedResources
      .filter((resource) => mayOpen(me, resource))
      .map(({ title, icon: Icon, keywords, pages: [{ path }] }): Item => {
        return {
          id: `page:${path}`,
          group: 'page',
          label: t(title),
          icon: <Icon size={16} stroke={1.75} />,
          ...(keywords === undefined ? {} : { keywords: t(keywords) }),
          run: () => void navigate({ to: path, params: { id: undefined }, search: workspaceOnly }),
        }
      }),
    ...(isSettingsAllowed ? settings : []).map(
      ([name, hash]): Item => ({
        id: `settings:${name}`,
        group: 'settings',
        label: t(`palette:settings.${name}`),
        keywords: `${t('resources:settings.title')} ${t(`palette:settings.keywords.${name}`)}`,
        icon: <IconSettings size={16} stroke={1.75} />,
        run: () => void navigate({ to: '/settings', hash }),
      }),
    ),
  ]
}
