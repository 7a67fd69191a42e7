import { useQuery } from '@tanstack/react-query'
import { createContext, use } from 'react'
import type { Me } from '../../../contract/accounts/auth.ts'
import {
  hasRole,
  permissionsOf,
  type Role,
  roles,
  workspacePermissions,
} from '../../../contract/common/roles.ts'
import { useShellSearch } from '../page/address.ts'
import { workspaceChoicesQuery } from '../service/workspaces.ts'

/** The workspace of the item that a page displays; undefined on other pages. */
export const ItemWorkspace = createContext<string | undefined>(undefined)

/**
 * Returns the role in the workspace of the displayed item, else in the selected one. While all are shown, the
 * highest role: the service decides for each item. Null for a user with access to all workspaces.
 */
export function useWorkspaceRole(me: Me): Role | null {
  const { access, memberships } = me
  const [search] = useShellSearch()
  const workspace = use(ItemWorkspace) ?? search.workspace
  const isListed = access === 'listed'
  const { data } = useQuery({ ...workspaceChoicesQuery, enabled: isListed && workspace !== undefined })
  if (!isListed) return null
  if (workspace === undefined)
    return memberships.reduce<Role>((high, each) => (hasRole(high, each.role) ? high : each.role), roles[0])
  const id = data?.find((each) => each.slug === workspace)?.id ?? workspace
  return roleIn(me, id)
}

/** Returns the role in the workspace with this id; null for a user with access to all workspaces. */
export const roleIn = ({ access, memberships, role }: Me, workspaceId: string): Role | null =>
  access === 'listed' ? (memberships.find((each) => each.workspace_id === workspaceId)?.role ?? role) : null

const ofWorkspaces: ReadonlySet<string> = workspacePermissions

/** Returns the permissions of a role in a workspace, and those of the account that concern no workspace. */
export const permissionsIn = ({ permissions }: Me, role: Role): string[] => [
  ...permissions.filter((permission) => !ofWorkspaces.has(permission)),
  ...permissionsOf(role).filter((permission) => workspacePermissions.has(permission)),
]
