import { type QueryClient, useQuery, useQueryClient } from '@tanstack/react-query'
import { useMemo } from 'react'
import type { Me } from '../../../contract/accounts/auth.ts'
import type { Session } from '../../../contract/accounts/session.ts'
import type { User } from '../../../contract/accounts/users.ts'
import { type Role, roles } from '../../../contract/common/roles.ts'
import { t, tNode } from '../../lib/i18n.ts'
import { client, invalidateEntities } from '../../lib/service/api.ts'
import { type DisabledReason, useMe } from '../../lib/session/me.ts'
import { describeAgent } from '../../lib/session/userAgent.ts'
import { confirm } from '../../ui/dialog/confirm.tsx'
import { toast } from '../../ui/feedback/toast.ts'
import { FollowingTokens } from './FollowingTokens.tsx'
import { activeAdminsQuery } from './users.queries.ts'

/** Invalidates queries of users, their sessions and the audit log. */
export const refreshUsers = (queries: QueryClient): Promise<unknown> =>
  invalidateEntities(queries, 'user', 'session', 'audit')

/** Returns the actions on a user; each opens a confirmation that names the consequence. */
export function useUserActions(): UserActions {
  const me = useMe()
  const queries = useQueryClient()
  const activeAdmins = useQuery(activeAdminsQuery).data
  return useMemo(() => createUserActions(me, queries, activeAdmins), [me, queries, activeAdmins])
}

function createUserActions(me: Me, queries: QueryClient, activeAdmins: number | undefined) {
  const refresh = (): Promise<unknown> => refreshUsers(queries)
  const nameValue = (user: User) => ({ name: <b>{user.username}</b> })

  const changeRole = (user: User, role: Role): Promise<boolean> =>
    confirm({
      title: t('users:role.title', { name: user.username }),
      body: (
        <>
          {tNode(`users:role.to.${role}`, nameValue(user))}
          {user.id === me.id && <p>{t('users:role.self')}</p>}
          {roles.indexOf(role) < roles.indexOf(user.role) && (
            <FollowingTokens userIds={[user.id]} change="shrink" />
          )}
        </>
      ),
      action: t('users:role.action', { role: t(`common:role.${role}`) }),
      run: async () => {
        await client.users.update({ params: { id: user.id }, body: { role } })
        await refresh()
        toast(t('users:role.done', { name: user.username, role: t(`common:role.${role}`) }))
      },
    })

  const setDisabled = (user: User, disabled: boolean): Promise<boolean> =>
    confirm({
      title: t(disabled ? 'users:disable.title' : 'users:enable.title', { name: user.username }),
      body: (
        <>
          {tNode(disabled ? 'users:disable.body' : 'users:enable.body', nameValue(user))}
          {disabled && <FollowingTokens userIds={[user.id]} change="end" />}
        </>
      ),
      action: t(disabled ? 'users:disable.action' : 'users:enable.action'),
      isDangerous: disabled,
      run: async () => {
        await client.users.update({ params: { id: user.id }, body: { disabled } })
        await refresh()
        toast(t(disabled ? 'users:disable.done' : 'users:enable.done', { name: user.username }))
      },
    })

  const revokeSession = (user: User, session: Session): Promise<boolean> =>
    confirm({
      title: t('users:revoke_one.title', { name: user.username }),
      body: tNode('users:revoke_one.body', {
        ...nameValue(user),
        agent: describeAgent(session.user_agent),
        ip: <span className="mono">{session.ip}</span>,
      }),
      action: t('users:revoke_one.action'),
      isDangerous: true,
      run: async () => {
        await client.users.revokeSession({ params: { id: user.id, session_id: session.id } })
        await refresh()
        toast(t('users:revoke.done', { count: 1, name: user.username }))
      },
    })

  const revokeSessions = (user: User): Promise<boolean> =>
    confirm({
      title: t('users:revoke.title', { name: user.username }),
      body: tNode(user.id === me.id ? 'users:revoke.self' : 'users:revoke.body', nameValue(user)),
      action: t('users:revoke.action'),
      isDangerous: true,
      run: async () => {
        const { revoked } = await client.users.revokeSessions({ params: { id: user.id } })
        await refresh()
        toast(t('users:revoke.done', { count: revoked, name: user.username }))
      },
    })

  const remove = (user: User): Promise<boolean> =>
    confirm({
      title: t('users:delete.title', { name: user.username }),
      body: (
        <>
          {tNode('users:delete.body', nameValue(user))}
          <FollowingTokens userIds={[user.id]} change="end" />
        </>
      ),
      action: t('users:delete.action'),
      isDangerous: true,
      requiredText: user.username,
      run: async () => {
        await client.users.remove({ params: { id: user.id } })
        await refresh()
        toast(t('users:delete.done', { name: user.username }))
      },
    })

  /** Returns the reason why this user cannot be demoted, disabled or deleted; null if there is none. */
  const lastAdminReason = (user: User): DisabledReason =>
    user.role === 'admin' && !user.disabled && activeAdmins === 1 ? t('users:last_admin') : null

  return { changeRole, setDisabled, revokeSession, revokeSessions, remove, lastAdminReason }
}

export type UserActions = ReturnType<typeof createUserActions>
