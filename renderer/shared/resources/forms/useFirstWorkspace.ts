import { useQuery } from '@tanstack/react-query'
import { defaultWorkspaceId } from '../../../../contract/system/workspaces.ts'
import { workspaceChoicesQuery } from '../../../lib/service/workspaces.ts'

/** Returns the id of the workspace that a form selects first: that of the address, else `default` or the first. */
export function useFirstWorkspace(inAddress: string | undefined): string {
  const workspaces = useQuery(workspaceChoicesQuery).data
  const chosen = workspaces?.find(({ slug }) => slug === inAddress)?.id ?? inAddress
  if (chosen !== undefined) return chosen
  // The default workspace may not exist for the user.
  const hasDefault = workspaces === undefined || workspaces.some(({ id }) => id === defaultWorkspaceId)
  return hasDefault ? defaultWorkspaceId : (workspaces[0]?.id ?? defaultWorkspaceId)
}
