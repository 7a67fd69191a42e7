import { Button } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { lazy, Suspense } from 'react'
import type { User } from '../../../contract/accounts/users.ts'
import { t } from '../../lib/i18n.ts'
import { useMe } from '../../lib/session/me.ts'
import { useDialogState } from '../../lib/state/useDraft.ts'
import { useMembershipTexts } from '../../shared/access/AccessBadge.tsx'
import { SessionList } from '../../shared/access/SessionList.tsx'
import { WhyDisabled } from '../../shared/access/WhyDisabled.tsx'
import { Badge } from '../../ui/display/Badge.tsx'
import { Time } from '../../ui/display/Time.tsx'
import { DetailDrawer, type RowNavigation } from '../../ui/page/DetailDrawer.tsx'
import { Facts } from '../../ui/page/Facts.tsx'
import { Section } from '../../ui/page/Section.tsx'
import { UserAccess } from './access/UserAccess.tsx'
import { RoleSelect } from './RoleSelect.tsx'
import { UserAudit } from './UserAudit.tsx'
import type { UserActions } from './userActions.tsx'
import styles from './users.module.css'
import { userQuery, userSessionsQuery } from './users.queries.ts'

const UserForm = lazy(() => import('./UserForm.tsx').then((module) => ({ default: module.UserForm })))

/** The workspaces of a user with listed access. */
function Memberships({ memberships }: Pick<User, 'memberships'>) {
  const texts = useMembershipTexts(memberships)
  return (
    <Section title={t('common:access.listed')}>
      {texts.length === 0 ? (
        <p className="dimmed">{t('common:access.none')}</p>
      ) : (
        <ul className={styles['memberships']}>
          {texts.map((text) => (
            <li key={text}>
              <bdi>{text}</bdi>
            </li>
          ))}
        </ul>
      )}
    </Section>
  )
}

type Props = {
  readonly id: string
  readonly actions: UserActions
  readonly navigation: RowNavigation
  readonly onClose: () => void
}

export function UserDrawer({ id, actions, navigation, onClose }: Props) {
  const me = useMe()
  const query = useQuery(userQuery(id))
  const sessions = useQuery(userSessionsQuery(id))
  const [isEditing, setEditing] = useDialogState<true>(`user.${id}`)
  const user = query.data
  const lastAdminReason = user === undefined ? null : actions.lastAdminReason(user)
  return (
    <DetailDrawer
      title={user?.username ?? t('users:one')}
      navigation={navigation}
      onClose={onClose}
      query={query}
      summary={
        user !== undefined && (
          <>
            <RoleSelect user={user} actions={actions} />
            {user.id === me.id && <Badge>{t('users:you')}</Badge>}
            {user.disabled && <Badge tone="warn">{t('users:disabled')}</Badge>}
            {user.must_change_password && <Badge>{t('users:must_change')}</Badge>}
          </>
        )
      }
      actions={
        user !== undefined && (
          <>
            <Button variant="default" onClick={() => setEditing(true)}>
              {t('common:edit')}
            </Button>
            <WhyDisabled reason={user.disabled ? null : lastAdminReason}>
              <Button variant="default" onClick={() => void actions.setDisabled(user, !user.disabled)}>
                {t(user.disabled ? 'users:enable.action' : 'users:disable.action')}
              </Button>
            </WhyDisabled>
            <WhyDisabled reason={lastAdminReason}>
              <Button
                variant="default"
                c="var(--pd-bad)"
                onClick={() => void actions.remove(user).then((isRemoved) => isRemoved && onClose())}
              >
                {t('users:delete.action')}
              </Button>
            </WhyDisabled>
          </>
        )
      }
    >
      {user !== undefined && (
        <>
          <Facts
            facts={[
              {
                label: t('users:column.last_login'),
                value: <Time at={user.last_login_at} never={t('users:never')} />,
              },
              { label: t('users:column.created'), value: <Time at={user.created_at} /> },
              { label: t('users:column.updated'), value: <Time at={user.updated_at} /> },
              { label: t('common:id'), value: <span className="mono">{user.id}</span>, copy: user.id },
            ]}
          />
          {user.access === 'listed' && <Memberships memberships={user.memberships} />}
          {lastAdminReason !== null && <p className="dimmed">{lastAdminReason}</p>}
          <UserAccess user={user} />
          <Section
            title={t('users:sessions.title')}
            aside={
              <WhyDisabled reason={sessions.data?.length === 0 ? t('users:sessions.none') : null}>
                <Button variant="subtle" size="compact-xs" onClick={() => void actions.revokeSessions(user)}>
                  {t('users:revoke.all')}
                </Button>
              </WhyDisabled>
            }
          >
            <SessionList
              sessions={sessions.data}
              error={sessions.error}
              onRetry={() => void sessions.refetch()}
              empty={t('users:sessions.none')}
              onRevoke={(session) => void actions.revokeSession(user, session)}
            />
          </Section>
          <UserAudit user={user} />
          {isEditing && (
            <Suspense>
              <UserForm user={user} roleDisabledReason={lastAdminReason} onClose={() => setEditing(null)} />
            </Suspense>
          )}
        </>
      )}
    </DetailDrawer>
  )
}
