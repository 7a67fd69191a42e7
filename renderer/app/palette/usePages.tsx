import { IconSettings, IconUser } from '@tabler/icons-react'
import { useNavigate } from '@tanstack/react-router'
import { t } from '../../lib/i18n.ts'
import { useMe } from '../../lib/session/me.ts'
import { navItems } from '../shell/nav.ts'
import type { Item } from './items.ts'

const workspaceOnly = ({ workspace }: { workspace?: string | undefined }) => ({ workspace })
/** Groups of the settings page that users search by name. */
const settings = [
  ['runs', 'palette:settings.runs'],
  ['prices', 'palette:settings.prices'],
  ['token', 'palette:settings.token'],
  ['backups', 'palette:settings.backups'],
  ['about', 'palette:settings.about'],
] as const

/** Returns the pages that the user may open. */
export function usePages(): readonly Item[] {
  const me = useMe()
  const navigate = useNavigate()
  const may = me.permissions.includes('settings.manage')
  return [
    ...navItems
      .filter((item) => item.permission === undefined || me.permissions.includes(item.permission))
      .map(
        (item): Item => ({
          id: `page:${item.to}`,
          group: 'page',
          label: t(item.label),
          icon: <item.icon size={16} stroke={1.75} />,
          run: () => void navigate({ to: item.to, params: { id: undefined }, search: workspaceOnly }),
        }),
      ),
    {
      id: 'page:/profile',
      group: 'page',
      label: t('shell:user.profile'),
      words: t('palette:action.keywords.profile'),
      icon: <IconUser size={16} stroke={1.75} />,
      run: () => void navigate({ to: '/profile' }),
    },
    ...(may ? settings : []).map(
      ([hash, label]): Item => ({
        id: `settings:${hash}`,
        group: 'settings',
        label: t(label),
        words: t('shell:nav.settings'),
        icon: <IconSettings size={16} stroke={1.75} />,
        run: () => void navigate({ to: '/settings', hash }),
      }),
    ),
  ]
}
