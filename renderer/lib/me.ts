import { type QueryClient, queryOptions, useQuery, useSuspenseQuery } from '@tanstack/react-query'
import { useCallback, useMemo } from 'react'
import type { Me } from '../../contract/auth.ts'
import type { Permission } from '../../contract/roles.ts'
import { asApiError, client } from './api.ts'
import { t } from './i18n.ts'
import { leastRole, rolesQuery, whoHas } from './roles.ts'
import { useStore } from './store.ts'
import { viewAs } from './viewAs.ts'

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

/** Who is really signed in, whatever role the console is looked at as. */
export const useOwnMe = (): Me => useSuspenseQuery(meQuery).data

/** Who is signed in, with the role the console is looked at as. */
export function useMe(): Me {
  const me = useOwnMe()
  const view = useStore(viewAs)
  return useMemo(() => (view === null || me.role !== 'admin' ? me : { ...me, ...view }), [me, view])
}

/** Null when allowed, else the reason a person can read. */
export type Verdict = string | null

/** Whether the person may do something, else which role it takes and who has it: `useMayNot()('users.manage')`. */
export function useMayNot(): (permission: Permission) => Verdict {
  const me = useMe()
  const { data: roles } = useQuery({ ...rolesQuery, enabled: me.role !== 'admin' })
  return useCallback(
    (permission) => {
      if (me.permissions.includes(permission)) return null
      const role = leastRole(permission, roles)
      const needs = t('common:why.role', { role: t(`common:role.${role}`), own: t(`common:role.${me.role}`) })
      return `${needs} ${whoHas(role, roles)}`.trim()
    },
    [me, roles],
  )
}

/** A page that is open to some roles only. */
export const useIsAllowed = (permission: Permission): boolean => useMe().permissions.includes(permission)
