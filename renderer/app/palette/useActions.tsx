import { useMantineColorScheme } from '@mantine/core'
import {
  type Icon,
  IconArchive,
  IconDeviceDesktop,
  IconEye,
  IconKeyboard,
  IconLink,
  IconLogout,
  IconMoon,
  IconPlug,
  IconRowInsertBottom,
  IconSun,
} from '@tabler/icons-react'
import { type QueryClient, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { t } from '../../lib/i18n.ts'
import { client } from '../../lib/service/api.ts'
import { useDisabledReason, useMe, useRealMe } from '../../lib/session/me.ts'
import { signOut } from '../../lib/session/signOut.ts'
import { useDensity } from '../../lib/state/columns.ts'
import { confirm } from '../../ui/dialog/confirm.tsx'
import { copy } from '../../ui/feedback/copy.ts'
import { toast } from '../../ui/feedback/toast.ts'
import { resources } from '../resources.ts'
import { stopViewing, viewConsoleAs } from '../shell/menu/viewing.ts'
import type { Item } from './items.ts'

export type ShellActions = { readonly onConnect: () => void; readonly onKeys: () => void }

const schemes = [
  ['light', IconSun],
  ['dark', IconMoon],
  ['auto', IconDeviceDesktop],
] as const

const action = (id: string, label: string, ActionIcon: Icon, run: () => void, keywords = ''): Item => ({
  id: `action:${id}`,
  group: 'action',
  label,
  icon: <ActionIcon size={16} stroke={1.75} />,
  keywords,
  run,
})

const copyLink = (): void => void copy(location.href, t('common:link_copied'))

const createBackup = (queries: QueryClient): void =>
  void confirm({
    title: t('palette:action.backup_title'),
    body: t('palette:action.backup_body'),
    action: t('palette:action.create_backup'),
    run: async () => {
      await client.backups.create({})
      await queries.invalidateQueries({ queryKey: ['backup'] })
      toast(t('palette:action.backup_done'))
    },
  })

/** Returns an action per resource that has a form for new items. It opens the form on the resource's page. */
function useCreateActions(): readonly Item[] {
  const navigate = useNavigate()
  const disabledReasonOf = useDisabledReason()
  return resources.flatMap(({ pages: [{ path }], items }): Item[] => {
    if (items?.create === undefined) return []
    const { label, icon, permission } = items.create
    const open = () => void navigate({ to: path, params: { id: undefined }, state: { add: items.kind } })
    const disabledReason = disabledReasonOf(permission)
    return [{ ...action(`add-${items.kind}`, t(label), icon, open), disabledReason }]
  })
}

/**
 * Returns the actions of every page. An action that the user's role does not allow names the required role.
 */
export function useActions({ onConnect, onKeys }: ShellActions): readonly Item[] {
  const me = useMe()
  const realMe = useRealMe()
  const queries = useQueryClient()
  const { colorScheme, setColorScheme } = useMantineColorScheme()
  const [density, setDensity] = useDensity()
  const disabledReasonOf = useDisabledReason()
  const otherDensity = density === 'compact' ? 'comfortable' : 'compact'
  const views = (['viewer', 'editor'] as const).filter((role) => role !== me.role)
  return [
    ...useCreateActions(),
    action(
      'connect',
      t('palette:action.connect'),
      IconPlug,
      onConnect,
      'sdk curl node python java websocket',
    ),
    {
      ...action('make-backup', t('palette:action.create_backup'), IconArchive, () => createBackup(queries)),
      disabledReason: disabledReasonOf('backups.manage'),
    },
    ...schemes
      .filter(([scheme]) => scheme !== colorScheme)
      .map(([scheme, Icon]) =>
        action(
          `scheme-${scheme}`,
          t(`palette:action.scheme_${scheme}`),
          Icon,
          () => setColorScheme(scheme),
          t('palette:action.keywords.scheme'),
        ),
      ),
    action(
      `density-${otherDensity}`,
      t(`palette:action.${otherDensity}`),
      IconRowInsertBottom,
      () => setDensity(otherDensity),
      t('palette:action.keywords.density'),
    ),
    action('copy-link', t('palette:action.copy_link'), IconLink, copyLink),
    action('keys', t('shell:keys.title'), IconKeyboard, onKeys),
    ...(realMe.role === 'admin'
      ? views.map((role) =>
          action(
            `view-${role}`,
            t('palette:action.view_as', { role: t(`common:role.${role}`) }),
            IconEye,
            () => void viewConsoleAs(queries, role),
          ),
        )
      : []),
    ...(realMe.role === me.role
      ? []
      : [action('view-stop', t('shell:view_as.stop'), IconEye, () => stopViewing(queries))]),
    action(
      'sign-out',
      t('shell:user.sign_out'),
      IconLogout,
      () => void signOut(),
      t('palette:action.keywords.sign_out'),
    ),
  ]
}
