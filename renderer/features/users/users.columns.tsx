import type { User } from '../../../contract/accounts/users.ts'
import { t } from '../../lib/i18n.ts'
import { Avatar } from '../../ui/display/Avatar.tsx'
import { Badge } from '../../ui/display/Badge.tsx'
import { Time } from '../../ui/display/Time.tsx'
import type { Column } from '../../ui/table/columns.ts'
import { RoleSelect } from './RoleSelect.tsx'
import type { UserActions } from './userActions.tsx'
import styles from './users.module.css'

export const userColumns = (actions: UserActions): readonly Column<User>[] => [
  {
    key: 'username',
    title: t('users:column.username'),
    sortKey: 'username',
    isFixed: true,
    render: (user) => (
      <span className={`rest ${styles['name']}`}>
        <Avatar name={user.username} size={22} />
        <bdi className="truncate">{user.username}</bdi>
      </span>
    ),
  },
  {
    key: 'role',
    title: t('users:column.role'),
    width: 140,
    render: (user) => <RoleSelect user={user} actions={actions} />,
  },
  {
    key: 'state',
    title: t('users:column.state'),
    width: 190,
    minFrameWidth: 540,
    render: (user) =>
      user.disabled ? (
        <Badge tone="warn">{t('users:disabled')}</Badge>
      ) : user.must_change_password ? (
        <Badge>{t('users:must_change')}</Badge>
      ) : (
        <span className="dimmed">{t('users:active')}</span>
      ),
  },
  {
    key: 'last_login',
    title: t('users:column.last_login'),
    sortKey: 'last_login_at',
    width: 150,
    minFrameWidth: 690,
    render: (user) => <Time at={user.last_login_at} never={t('users:never')} />,
  },
  {
    key: 'created',
    title: t('users:column.created'),
    sortKey: 'created_at',
    width: 150,
    minFrameWidth: 842,
    render: (user) => <Time at={user.created_at} />,
  },
  {
    key: 'updated',
    title: t('users:column.updated'),
    width: 150,
    isOptional: true,
    render: (user) => <Time at={user.updated_at} />,
  },
]
