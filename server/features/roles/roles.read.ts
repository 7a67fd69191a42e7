import type { Permission } from '../../../contract/common/roles.ts'
import {
  maxHolders,
  permissionsOf,
  type Role,
  type RoleInfo,
  roleDescriptions,
  roles,
} from '../../../contract/common/roles.ts'
import type { Db, Query } from '../../db/types.ts'

async function countHolders(q: Query): Promise<ReadonlyMap<Role, number>> {
  const rows = await q
    .selectFrom('users')
    .select(['role', (eb) => eb.fn.countAll<number>().as('count')])
    .where('disabled', '=', 0)
    .groupBy('role')
    .execute()
  return new Map(rows.map(({ role, count }) => [role, Number(count)]))
}

/** Returns usernames of a role, latest sign-in first, because these users are most likely to respond. */
async function recentHolders(q: Query, role: Role): Promise<string[]> {
  const rows = await q
    .selectFrom('users')
    .select('username')
    .where('role', '=', role)
    .where('disabled', '=', 0)
    .orderBy((eb) => eb.fn.coalesce('last_login_at', eb.lit(0)), 'desc')
    .orderBy('username_folded')
    .limit(maxHolders)
    .execute()
  return rows.map(({ username }) => username)
}

export type RoleListDeps = {
  readonly db: Db
  readonly permissionOverrides: () => Partial<Record<Permission, Role>>
}

/**
 * Lists the roles with permissions and users. Viewers are only counted, because nobody needs to contact them.
 */
export function createRoleList({ db, permissionOverrides }: RoleListDeps) {
  return async (): Promise<RoleInfo[]> => {
    const counts = await countHolders(db.read)
    return Promise.all(
      roles.map(async (role) => ({
        role,
        description: roleDescriptions[role],
        permissions: permissionsOf(role, permissionOverrides()),
        holders: role === 'viewer' ? [] : await recentHolders(db.read, role),
        holder_count: counts.get(role) ?? 0,
      })),
    )
  }
}
export type RoleList = ReturnType<typeof createRoleList>
