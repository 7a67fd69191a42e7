import { useQuery } from '@tanstack/react-query'
import type { Permission } from '../../../../contract/common/roles.ts'
import { defaultWorkspaceId } from '../../../../contract/system/workspaces.ts'
import { workspaceChoicesQuery } from '../../../lib/service/workspaces.ts'
import { useWorkspacesWith } from '../../workspaces/useWorkspacesWith.ts'

/**
 * Returns the id of the workspace that a form selects first: the preferred one (an id or slug), else `default`, else
 * the first in which the user has the permission.
 */
export function useFirstWorkspace(
  preferred: string | undefined,
  permission: Permission = 'resources.write',
): string {
  const all = useQuery(workspaceChoicesQuery).data
  const allowed = useWorkspacesWith(permission)
  const isPreferred = ({ id, slug }: { readonly id: string; readonly slug: string }): boolean =>
    id === preferred || slug === preferred
  const chosen = allowed?.find(isPreferred)
  if (chosen !== undefined) return chosen.id
  // The service reports one that does not exist.
  if (preferred !== undefined && all?.some(isPreferred) !== true) return preferred
  const hasDefault = allowed === undefined || allowed.some(({ id }) => id === defaultWorkspaceId)
  return hasDefault ? defaultWorkspaceId : (allowed[0]?.id ?? defaultWorkspaceId)
}
