import { useQuery } from '@tanstack/react-query'
import { unknown } from '../../lib/format/format.ts'
import { workspaceChoicesQuery } from '../../lib/service/workspaces.ts'

type Props = {
  /** Id or slug. */
  readonly workspace: string | null
  readonly className?: string | undefined
}

/** The name of a workspace; its id if the workspace was deleted or its name is not known yet. */
export function WorkspaceName({ workspace, className }: Props) {
  const { data } = useQuery(workspaceChoicesQuery)
  if (workspace === null) return unknown
  const name = data?.find(({ id, slug }) => id === workspace || slug === workspace)?.name
  return name === undefined ? (
    <span className={`mono ${className ?? ''}`}>{workspace}</span>
  ) : (
    <bdi className={className}>{name}</bdi>
  )
}
