import { Menu, Text, UnstyledButton } from '@mantine/core'
import { IconCheck, IconChevronDown } from '@tabler/icons-react'
import type { User } from '../../../contract/accounts/users.ts'
import { roles } from '../../../contract/common/roles.ts'
import { t } from '../../lib/i18n.ts'
import { AccessBadge } from '../../shared/access/AccessBadge.tsx'
import { RoleBadge, roleIcons } from '../../shared/access/RoleBadge.tsx'
import { WhyDisabled } from '../../shared/access/WhyDisabled.tsx'
import styles from './RoleSelect.module.css'
import type { UserActions } from './userActions.tsx'

type Props = { readonly user: User; readonly actions: UserActions }

/**
 * A menu that changes a user's role. Each role is explained, and a confirmation names the consequence. The roles in
 * listed workspaces are changed in the form.
 */
export function RoleSelect({ user, actions }: Props) {
  if (user.access === 'listed') return <AccessBadge memberships={user.memberships} />
  return <RoleMenu user={user} actions={actions} />
}

function RoleMenu({ user, actions }: Props) {
  const reason = actions.lastAdminReason(user)
  const label = t('users:role.change', { name: user.username, role: t(`common:role.${user.role}`) })
  const button = (
    <UnstyledButton className={styles['button'] ?? ''} aria-label={label}>
      <RoleBadge role={user.role} />
      <IconChevronDown size={12} />
    </UnstyledButton>
  )
  if (reason !== null) return <WhyDisabled reason={reason}>{button}</WhyDisabled>
  return (
    <Menu position="bottom-start" width={300}>
      <Menu.Target>{button}</Menu.Target>
      <Menu.Dropdown>
        {roles.map((role) => {
          const Icon = roleIcons[role]
          return (
            <Menu.Item
              key={role}
              leftSection={<Icon size={16} />}
              rightSection={role === user.role ? <IconCheck size={14} /> : null}
              onClick={() => {
                if (role !== user.role) void actions.changeRole(user, role)
              }}
            >
              <Text size="sm">{t(`common:role.${role}`)}</Text>
              <Text size="xs" c="dimmed">
                {t(`common:role_help.${role}`)}
              </Text>
            </Menu.Item>
          )
        })}
      </Menu.Dropdown>
    </Menu>
  )
}
