import { type QueryClient, queryOptions, useQuery, useSuspenseQuery } from '@tanstack/react-query'
import { useCallback, useMemo } from 'react'
import type { Me } from '../../../contract/accounts/auth.ts'
import { type Permission, workspacePermissions } from '../../../contract/common/roles.ts'
import { t } from '../i18n.ts'
import { asApiError, client } from '../service/api.ts'
import { useStore } from '../state/store.ts'
import { describeHolders, lowestRole, rolesQuery } from './roles.ts'
import { viewAs } from './viewAs.ts'
import { permissionsIn, roleIn, useWorkspaceRole } from './workspaceRole.ts'

/** Fetches the signed-in user. Loaded before any page of the shell is shown. */
export const meQuery = queryOptions({
  queryKey: ['me'],
  queryFn: ({ signal }) => client.auth.me({}, { signal }),
  staleTime: 60_000,
})

/**
 * Fetches whether a user who must change the password may do nothing else. The default admin on loopback is
 * only asked to change it, and only the service knows which case applies.
 */
const passwordRefusalQuery = queryOptions({
  queryKey: ['me', 'password_refusal'],
  queryFn: async ({ signal }): Promise<boolean> => {
    try {
      await client.workspaces.list({ query: { limit: 1 } }, { signal })
      return false
    } catch (error) {
      if (asApiError(error)?.problem?.code === 'auth.password_change_required') return true
      throw error
    }
  },
})

/** True if the user must change the password before anything else. */
export async function mustChangePassword(queries: QueryClient, me: Me): Promise<boolean> {
  if (!me.must_change_password) return false
  return !me.defaults.password || (await queries.fetchQuery(passwordRefusalQuery))
}

/** Returns the signed-in user with the real role, even while the console is viewed as another role. */
export const useRealMe = (): Me => useSuspenseQuery(meQuery).data

/**
 * Returns the signed-in user, with the role the console is viewed as. With access to listed workspaces, the
 * permissions are those in the selected workspace.
 */
export function useMe(): Me {
  const me = useRealMe()
  const view = useStore(viewAs)
  const role = useWorkspaceRole(me)
  return useMemo(() => {
    if (view !== null && me.role === 'admin') return { ...me, ...view }
    return role === null ? me : { ...me, permissions: permissionsIn(me, role) }
  }, [me, view, role])
}

/** Reason why a control is disabled, as text for the user; null if it is enabled. */
export type DisabledReason = string | null

/**
 * Returns a function that checks a permission: null if the user has it, else a text that names the required
 * role and who has it. Use: `useDisabledReason()('users.manage')`. Name the workspace (its id) of a row or an
 * item in a drawer, because the role may differ from that in the selected one.
 */
export function useDisabledReason(): (permission: Permission, workspaceId?: string | null) => DisabledReason {
  const me = useMe()
  const workspaceRole = useWorkspaceRole(me)
  const { data: roles } = useQuery({ ...rolesQuery, enabled: me.role !== 'admin' })
  return useCallback(
    (permission, workspaceId) => {
      const inItem = workspaceId == null ? null : roleIn(me, workspaceId)
      const permissions = inItem === null ? me.permissions : permissionsIn(me, inItem)
      if (permissions.includes(permission)) return null
      const role = lowestRole(permission, roles)
      const own = (workspacePermissions.has(permission) ? (inItem ?? workspaceRole) : null) ?? me.role
      const needs = t('common:missing_role.required', {
        role: t(`common:role.${role}`),
        own: t(`common:role.${own}`),
      })
      return `${needs} ${describeHolders(role, roles)}`.trim()
    },
    [me, workspaceRole, roles],
  )
}

/** True if the user has the permission. For pages that only some roles may open. */
export const useIsAllowed = (permission: Permission): boolean => useMe().permissions.includes(permission)
