import { type QueryClient, queryOptions, useQuery, useSuspenseQuery } from '@tanstack/react-query'
import { useCallback, useMemo } from 'react'
import type { Me } from '../../../contract/accounts/auth.ts'
import type { Permission } from '../../../contract/common/roles.ts'
import { t } from '../i18n.ts'
import { asApiError, client } from '../service/api.ts'
import { useStore } from '../state/store.ts'
import { describeHolders, lowestRole, rolesQuery } from './roles.ts'
import { viewAs } from './viewAs.ts'

/** Fetches the signed-in user. Loaded before any page of the shell is shown. */
export const meQuery = queryOptions({
  queryKey: ['me'],
  queryFn: ({ signal }) => client.auth.me({}, { signal }),
  staleTime: 60_000,
})

/**
 * Fetches if a user who must change the password may do nothing else. The default admin on loopback is only
 * asked to change it, and only the service knows which case applies.
 */
const passwordRefusalQuery = queryOptions({
  queryKey: ['me', 'held'],
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
export const useOwnMe = (): Me => useSuspenseQuery(meQuery).data

/** Returns the signed-in user, with the role the console is viewed as. */
export function useMe(): Me {
  const me = useOwnMe()
  const view = useStore(viewAs)
  return useMemo(() => (view === null || me.role !== 'admin' ? me : { ...me, ...view }), [me, view])
}

/** Null if allowed, else the reason as text for the user. */
export type Verdict = string | null

/**
 * Returns a function that checks a permission: null if the user has it, else a text that names the required
 * role and who has it. Use: `useMayNot()('users.manage')`.
 */
export function useMayNot(): (permission: Permission) => Verdict {
  const me = useMe()
  const { data: roles } = useQuery({ ...rolesQuery, enabled: me.role !== 'admin' })
  return useCallback(
    (permission) => {
      if (me.permissions.includes(permission)) return null
      const role = lowestRole(permission, roles)
      const needs = t('common:missing_role.required', {
        role: t(`common:role.${role}`),
        own: t(`common:role.${me.role}`),
      })
      return `${needs} ${describeHolders(role, roles)}`.trim()
    },
    [me, roles],
  )
}

/** True if the user has the permission. For pages that only some roles may open. */
export const useIsAllowed = (permission: Permission): boolean => useMe().permissions.includes(permission)
