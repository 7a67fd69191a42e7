import { unknown } from '../../lib/format/format.ts'
import { useWorkspaceNames } from './useWorkspaceNames.ts'

type Props = {
  /** ID or slug. */
  readonly workspace: string | null
  readonly className?: string | undefined
}

/** The name of a workspace, also of a deleted one; its id if the name is not known. */
export function WorkspaceName({ workspace, className }: Props) {
  const nameOf = useWorkspaceNames(workspace === null ? [] : [workspace])
  if (workspace === null) return unknown
  const name = nameOf(workspace)
  return name === undefined ? (
    <span className={`mono ${className ?? ''}`}>{workspace}</span>
  ) : (
    <bdi className={className} title={name}>
      {name}
    </bdi>
  )
}
