import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { workspaceChoicesQuery } from '../../lib/service/workspaces.ts'

type Props = {
  /** ID of the workspace of the displayed item. */
  readonly workspace: string
  /** Path of the list to which the link goes. */
  readonly list: '/prompts' | '/agents' | '/workflows'
}

/** Part of the breadcrumbs that links to a list in the workspace of an item; nothing if there is only one. */
export function WorkspaceCrumb({ workspace, list }: Props) {
  const choices = useQuery(workspaceChoicesQuery).data ?? []
  const found = choices.find(({ id }) => id === workspace)
  if (found === undefined || choices.length === 1) return null
  return (
    <>
      <span aria-hidden="true">›</span>
      <Link to={list} search={{ workspace: found.slug }} activeOptions={{ exact: true }}>
        <bdi>{found.name}</bdi>
      </Link>
    </>
  )
}
