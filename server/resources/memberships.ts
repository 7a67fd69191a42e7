import { isDeepStrictEqual } from 'node:util'
import type { AccessFields, Membership } from '../../contract/accounts/access.ts'
import type { Role } from '../../contract/common/roles.ts'
import type { Query } from '../db/types.ts'
import { invalid } from '../lib/fail.ts'
import { findWorkspace } from './workspaces.read.ts'

/** The access of a user or an API token with its role. */
export type AccountRights = AccessFields & { readonly role: Role }

/** Returns true if both have the same workspaces and roles. */
export const hasSameWorkspaces = (a: AccessFields, b: AccessFields): boolean =>
  a.access === b.access && isDeepStrictEqual(a.memberships, b.memberships)

export type SomeRights = {
  readonly role?: Role | undefined
  readonly memberships?: readonly { readonly role: Role }[] | undefined
}

/** Returns true for an admin, also of a single workspace. */
export const isAdminAnywhere = ({ role, memberships = [] }: SomeRights): boolean =>
  role === 'admin' || memberships.some((membership) => membership.role === 'admin')

/** The access in a request; a missing field is unchanged. */
type AccessChange = {
  readonly role?: Role | undefined
  readonly access?: AccessFields['access'] | undefined
  readonly memberships?: readonly Membership[] | undefined
}

/** Returns the access after a request; `before` is null for a new account. Throws 422 that names the field. */
export async function planAccess(
  q: Query,
  { role, access: requested, memberships: requestedList }: AccessChange,
  before: AccountRights | null,
): Promise<AccountRights> {
  const access = requested ?? before?.access ?? 'all'
  if (access === 'all') {
    if (requestedList !== undefined && requestedList.length > 0)
      throw invalid('memberships', 'Set the access `listed` to limit the account to a list of workspaces')
    return { access, role: role ?? before?.role ?? 'viewer', memberships: [] }
  }
  if (role !== undefined && role !== 'viewer')
    throw invalid('role', 'With the access `listed`, the role is viewer; set the roles in `memberships`')
  const memberships =
    requestedList === undefined ? (before?.memberships ?? []) : await resolved(q, requestedList)
  return { access, role: 'viewer', memberships }
}

/** Returns the memberships with ids of existing workspaces, sorted. */
async function resolved(q: Query, requested: readonly Membership[]): Promise<Membership[]> {
  const found = new Map<string, Role>()
  for (const [index, { workspace_id: idOrSlug, role }] of requested.entries()) {
    const path = `memberships.${index}.workspace_id`
    const workspace = await findWorkspace(q, idOrSlug)
    if (workspace === undefined) throw invalid(path, 'Workspace not found')
    if (found.has(workspace.id)) throw invalid(path, 'The workspace is listed twice')
    found.set(workspace.id, role)
  }
  return [...found].map(([workspace_id, role]) => ({ workspace_id, role })).toSorted(byWorkspace)
}

const byWorkspace = (a: Membership, b: Membership): number => (a.workspace_id < b.workspace_id ? -1 : 1)

/** Replaces the memberships of a user or an API token. */
export async function storeMemberships(
  q: Query,
  ownerId: string,
  memberships: readonly Membership[],
): Promise<void> {
  await q.deleteFrom('memberships').where('owner_id', '=', ownerId).execute()
  if (memberships.length === 0) return
  await q
    .insertInto('memberships')
    .values(memberships.map((each) => ({ owner_id: ownerId, ...each })))
    .execute()
}

/** Returns the memberships of users or API tokens by id, for a page of a list. */
export async function membershipsOf(
  q: Query,
  ownerIds: readonly string[],
): Promise<(ownerId: string) => Membership[]> {
  const found = new Map<string, Membership[]>()
  const rows =
    ownerIds.length === 0
      ? []
      : await q
          .selectFrom('memberships')
          .selectAll()
          .where('owner_id', 'in', ownerIds)
          .orderBy('workspace_id')
          .execute()
  for (const { owner_id, ...membership } of rows)
    found.set(owner_id, [...(found.get(owner_id) ?? []), membership])
  return (ownerId) => found.get(ownerId) ?? []
}

/** Removes the memberships of a deleted workspace. Returns the ids of their users and API tokens. */
export async function removeMembershipsIn(q: Query, workspaceId: string): Promise<string[]> {
  const rows = await q
    .selectFrom('memberships')
    .select('owner_id')
    .where('workspace_id', '=', workspaceId)
    .execute()
  await q.deleteFrom('memberships').where('workspace_id', '=', workspaceId).execute()
  return rows.map(({ owner_id }) => owner_id)
}

/** Describes the access of an account in a summary: `as editor`, `with access to 2 workspaces`. */
export function accessSummary({ access, role, memberships }: AccountRights): string {
  if (access === 'all') return `as ${role}`
  return `with access to ${memberships.length === 1 ? '1 workspace' : `${memberships.length} workspaces`}`
}
