import { useQuery } from '@tanstack/react-query'
import { workspaceChoicesQuery } from '../../../lib/service/workspaces.ts'

/** Returns the id of the workspace that a form selects first: that of the address, else `default`. */
export function useFirstWorkspace(inAddress: string | undefined): string {
  const workspaces = useQuery(workspaceChoicesQuery).data
  return workspaces?.find(({ slug }) => slug === inAddress)?.id ?? inAddress ?? 'default'
}
