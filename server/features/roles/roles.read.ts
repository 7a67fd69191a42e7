import type { Permission } from '../../../contract/roles.ts'
import {
  namedHolders,
  permissionsOf,
  type Role,
  type RoleInfo,
  roleMeans,
  roles,
} from '../../../contract/roles.ts'
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

/** Those who signed in last come first: they are the ones to be found. */
async function someHolders(q: Query, role: Role): Promise<string[]> {
  const rows = await q
    .selectFrom('users')
    .select('username')
    .where('role', '=', role)
    .where('disabled', '=', 0)
    .orderBy((eb) => eb.fn.coalesce('last_login_at', eb.lit(0)), 'desc')
    .orderBy('username_folded')
    .limit(namedHolders)
    .execute()
  return rows.map(({ username }) => username)
}

export type RoleListDeps = {
  readonly db: Db
  readonly permissionOverrides: () => Partial<Record<Permission, Role>>
}

/** What each role may do and who has it. Viewers are only counted: nobody needs to ask for one. */
export function createRoleList({ db, permissionOverrides }: RoleListDeps) {
  return async (): Promise<RoleInfo[]> => {
    const counts = await countHolders(db.read)
    return Promise.all(
      roles.map(async (role) => ({
        role,
        description: roleMeans[role],
        permissions: permissionsOf(role, permissionOverrides()),
        holders: role === 'viewer' ? [] : await someHolders(db.read, role),
        holder_count: counts.get(role) ?? 0,
      })),
    )
  }
}
export type RoleList = ReturnType<typeof createRoleList>
