import { queryOptions } from '@tanstack/react-query'
import {
  type Permission,
  permissionRoles,
  type Role,
  type RoleInfo,
  roles,
} from '../../../contract/common/roles.ts'
import { formatList } from '../format/format.ts'
import { t } from '../i18n.ts'
import { client } from '../service/api.ts'

/**
 * Fetches the permissions and holders of each role. Only admins are sent changes of users; for others the
 * data just expires.
 */
export const rolesQuery = queryOptions({
  queryKey: ['user', 'roles'],
  queryFn: async ({ signal }) => (await client.roles.list({}, { signal })).data,
})

/**
 * Returns the lowest role with a permission. The service's answer is preferred, because a setting can move a
 * permission.
 */
export const lowestRole = (permission: Permission, known: readonly RoleInfo[] | undefined): Role =>
  known?.find((one) => one.permissions.includes(permission))?.role ?? permissionRoles[permission]

/**
 * Returns a sentence such as "edda and 3 others are editors." If nobody has the role, it names the holders of
 * a higher one. Empty while unknown.
 */
export function describeHolders(role: Role, known: readonly RoleInfo[] | undefined): string {
  const able = roles
    .slice(roles.indexOf(role))
    .flatMap((name) => known?.filter((one) => one.role === name) ?? [])
  const nearest = able.find((one) => one.holders.length > 0)
  if (nearest === undefined) return ''
  const others = nearest.holder_count - nearest.holders.length
  const names =
    others > 0 ? [...nearest.holders, t('common:missing_role.others', { count: others })] : nearest.holders
  return t(`common:missing_role.${nearest.role}`, { names: formatList(names), count: nearest.holder_count })
}
