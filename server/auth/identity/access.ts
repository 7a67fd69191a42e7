import { hasRole, type Role } from '../../../contract/common/roles.ts'
import { type Params, prepareQuery } from '../../db/prepared.ts'
import type { MembershipsTable } from '../../db/schema/access.ts'
import type { Query } from '../../db/types.ts'

/** Roles by workspace id. */
export type Memberships = ReadonlyMap<string, Role>

/** The rights of an account. Null memberships: every workspace, with the role. */
export type AccountAccess = { readonly role: Role; readonly memberships: Memberships | null }

/** A user or an API token. */
type Account = { readonly id: string; readonly role: Role; readonly access: 'all' | 'listed' }

const membershipsOf = prepareQuery<{ owner: string }, MembershipsTable>((q, p: Params<{ owner: string }>) =>
  q.selectFrom('memberships').selectAll().where('owner_id', '=', p('owner')).orderBy('workspace_id'),
)

/** Returns the access of an account. Runs on every request. */
export async function accessOf(q: Query, { id, role, access }: Account): Promise<AccountAccess> {
  if (access === 'all') return { role, memberships: null }
  const rows = await membershipsOf(q, { owner: id })
  return { role: 'viewer', memberships: new Map(rows.map((row) => [row.workspace_id, row.role])) }
}

const lower = (a: Role, b: Role): Role => (hasRole(a, b) ? b : a)

/** Returns the rights that two accounts have both: those of a token that is limited by its owner. */
export function commonAccess(a: AccountAccess, b: AccountAccess): AccountAccess {
  const listed = a.memberships ?? b.memberships
  if (listed === null) return { role: lower(a.role, b.role), memberships: null }
  const roleIn = ({ role, memberships }: AccountAccess, id: string) =>
    memberships === null ? role : memberships.get(id)
  const memberships = new Map<string, Role>()
  for (const id of listed.keys()) {
    const [first, second] = [roleIn(a, id), roleIn(b, id)]
    if (first !== undefined && second !== undefined) memberships.set(id, lower(first, second))
  }
  return { role: 'viewer', memberships }
}

/** Returns true if both are the same, including the role in each workspace. */
export function isSameAccess(a: Memberships | undefined, b: Memberships | undefined): boolean {
  if (a === undefined || b === undefined) return a === b
  return a.size === b.size && [...a].every(([id, role]) => b.get(id) === role)
}
