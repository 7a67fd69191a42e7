import { type QueryClient, queryOptions, useSuspenseQuery } from '@tanstack/react-query'
import type { Me } from '../../contract/auth.ts'
import { type Permission, permissionRoles } from '../../contract/roles.ts'
import { asApiError, client } from './api.ts'
import { t } from './i18n.ts'

/** Who is signed in. Loaded before any page of the shell is shown. */
export const meQuery = queryOptions({
  queryKey: ['me'],
  queryFn: ({ signal }) => client.auth.me({}, { signal }),
  staleTime: 60_000,
})

/**
 * Whether someone who must change the password may do nothing else until then. The default admin on loopback is only
 * asked to, and which of the two it is only the service knows.
 */
const heldQuery = queryOptions({
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

export async function isHeld(queries: QueryClient, me: Me): Promise<boolean> {
  if (!me.must_change_password) return false
  return !me.defaults.password || (await queries.fetchQuery(heldQuery))
}

export const useMe = (): Me => useSuspenseQuery(meQuery).data

/** Null when allowed, else the reason a person can read. */
export type Verdict = string | null

/** Whether the person may do something: `const mayNot = useMay(); mayNot('users.manage')`. */
export function useMayNot(): (permission: Permission) => Verdict {
  const me = useMe()
  return (permission) =>
    me.permissions.includes(permission)
      ? null
      : t('common:why.role', {
          role: t(`common:role.${permissionRoles[permission]}`),
          own: t(`common:role.${me.role}`),
        })
}

/** A page that is open to some roles only. */
export const useIsAllowed = (permission: Permission): boolean => useMe().permissions.includes(permission)
