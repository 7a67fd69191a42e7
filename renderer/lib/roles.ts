import { queryOptions } from '@tanstack/react-query'
import { type Permission, permissionRoles, type Role, type RoleInfo, roles } from '../../contract/roles.ts'
import { client } from './api.ts'
import { formatList } from './format.ts'
import { t } from './i18n.ts'

/** Fetches what each role may do and who holds it. Only admins are sent changes of users; for others it ages like a page. */
export const rolesQuery = queryOptions({
  queryKey: ['user', 'roles'],
  queryFn: async ({ signal }) => (await client.roles.list({}, { signal })).data,
})

/** The least role that may; what the service said counts, for a setting can move a permission. */
export const leastRole = (permission: Permission, known: readonly RoleInfo[] | undefined): Role =>
  known?.find((one) => one.permissions.includes(permission))?.role ?? permissionRoles[permission]

/** "edda and 3 others are editors." Where nobody has the role, those above it; empty while unknown. */
export function whoHas(role: Role, known: readonly RoleInfo[] | undefined): string {
  const able = roles
    .slice(roles.indexOf(role))
    .flatMap((name) => known?.filter((one) => one.role === name) ?? [])
  const held = able.find((one) => one.holders.length > 0)
  if (held === undefined) return ''
  const others = held.holder_count - held.holders.length
  const names = others > 0 ? [...held.holders, t('common:why.others', { count: others })] : held.holders
  return t(`common:why.${held.role}`, { names: formatList(names), count: held.holder_count })
}
