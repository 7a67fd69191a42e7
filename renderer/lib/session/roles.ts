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
 * Fetches the permissions and holders of each role. Only admins receive changes of users. For others the data
 * expires.
 */
export const rolesQuery = queryOptions({
  queryKey: ['user', 'roles'],
  queryFn: async ({ signal }) => (await client.roles.list({}, { signal })).data,
})

/**
 * Returns the lowest role with a permission. The service's reply takes precedence, because a setting can move
 * a permission.
 */
export const lowestRole = (permission: Permission, known: readonly RoleInfo[] | undefined): Role =>
  known?.find((info) => info.permissions.includes(permission))?.role ?? permissionRoles[permission]

/**
 * Returns a sentence such as "edda and 3 others are editors." If nobody has the role, it names the holders of
 * a higher one. Empty while unknown.
 */
export function describeHolders(role: Role, known: readonly RoleInfo[] | undefined): string {
  const candidates = roles
    .slice(roles.indexOf(role))
    .flatMap((name) => known?.filter((info) => info.role === name) ?? [])
  const nearest = candidates.find((info) => info.holders.length > 0)
  if (nearest === undefined) return ''
  const others = nearest.holder_count - nearest.holders.length
  const names =
    others > 0 ? [...nearest.holders, t('common:missing_role.others', { count: others })] : nearest.holders
  return t(`common:missing_role.${nearest.role}`, { names: formatList(names), count: nearest.holder_count })
}
