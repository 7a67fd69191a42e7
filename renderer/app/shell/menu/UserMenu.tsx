import { Group, Menu, Text, UnstyledButton } from '@mantine/core'
import {
  IconCheck,
  IconChevronDown,
  IconKeyboard,
  IconLogout,
  IconServer,
  IconUser,
} from '@tabler/icons-react'
import { useQueryClient } from '@tanstack/react-query'
import { t } from '../../../lib/i18n.ts'
import { bridge } from '../../../lib/page/desktop.ts'
import { useMe, useRealMe } from '../../../lib/session/me.ts'
import { signOut } from '../../../lib/session/signOut.ts'
import { RoleBadge, roleIcons } from '../../../shared/access/RoleBadge.tsx'
import { Avatar } from '../../../ui/display/Avatar.tsx'
import { MenuLink } from '../../../ui/display/link/MenuLink.tsx'
import styles from './UserMenu.module.css'
import { stopViewing, viewConsoleAs } from './viewing.ts'

export function UserMenu({ onKeys }: { readonly onKeys: () => void }) {
  const me = useMe()
  return (
    <Menu position="bottom-end" width={220}>
      <Menu.Target>
        <UnstyledButton
          className={styles['button'] ?? ''}
          aria-label={t('shell:user.menu', { name: me.username })}
        >
          <Avatar name={me.username} />
          <IconChevronDown size={14} />
        </UnstyledButton>
      </Menu.Target>
      <Menu.Dropdown>
        <Group px="md" py="sm" justify="space-between" wrap="nowrap">
          <Text size="sm" fw={500} truncate>
            {me.username}
          </Text>
          <RoleBadge role={me.role} />
        </Group>
        <Menu.Divider />
        <MenuLink to="/profile" leftSection={<IconUser size={14} />}>
          {t('resources:profile.title')}
        </MenuLink>
        <ViewAs />
        <Menu.Item leftSection={<IconKeyboard size={14} />} onClick={onKeys}>
          {t('shell:keys.title')}
        </Menu.Item>
        {bridge !== null && (
          <Menu.Item leftSection={<IconServer size={14} />} onClick={() => void bridge?.showServers()}>
            {t('shell:user.servers')}
          </Menu.Item>
        )}
        <Menu.Divider />
        <Menu.Item leftSection={<IconLogout size={14} />} onClick={() => void signOut()}>
          {t('shell:user.sign_out')}
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  )
}

/** Menu items with which an admin views the console as another role. */
function ViewAs() {
  const queries = useQueryClient()
  const realMe = useRealMe()
  const me = useMe()
  if (realMe.role !== 'admin') return null
  return (
    <>
      <Menu.Divider />
      <Menu.Label>{t('shell:view_as.label')}</Menu.Label>
      {(['viewer', 'editor', 'admin'] as const).map((role) => {
        const Icon = roleIcons[role]
        return (
          <Menu.Item
            key={role}
            leftSection={<Icon size={14} />}
            rightSection={role === me.role ? <IconCheck size={14} /> : null}
            onClick={() => (role === 'admin' ? stopViewing(queries) : void viewConsoleAs(queries, role))}
          >
            {t(`common:role.${role}`)}
          </Menu.Item>
        )
      })}
      <Menu.Divider />
    </>
  )
}
