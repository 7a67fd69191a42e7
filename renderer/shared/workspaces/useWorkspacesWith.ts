import { useQuery } from '@tanstack/react-query'
import type { Permission } from '../../../contract/common/roles.ts'
import type { Workspace } from '../../../contract/system/workspaces.ts'
import { workspaceChoicesQuery } from '../../lib/service/workspaces.ts'
import { useDisabledReason } from '../../lib/session/me.ts'

/** Returns the workspaces in which the user has a permission; undefined while they load. */
export function useWorkspacesWith(permission: Permission): readonly Workspace[] | undefined {
  const disabledReasonOf = useDisabledReason()
  return useQuery(workspaceChoicesQuery).data?.filter(({ id }) => disabledReasonOf(permission, id) === null)
}
