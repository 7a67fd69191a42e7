import { useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { useShellSearch } from '../../lib/page/address.ts'
import { workspaceChoicesQuery } from '../../lib/service/workspaces.ts'
import type { Column } from '../../ui/table/columns.ts'
import { truncated } from '../resources/list/cells.tsx'
import { WorkspaceName } from './WorkspaceName.tsx'

/** Width of the column, in pixels. */
const width = 112
/** Width of the frame in pixels in which it fits beside the columns that cannot be hidden. */
const minFrameWidth = 455

/**
 * Adds the workspace after the first column of a list, while the list shows several: the same key can exist in
 * each of them. In a narrow frame the other columns are hidden first.
 */
export function useWorkspaceColumn<T extends { readonly workspace_id: string }>(
  columns: readonly Column<T>[],
  title: string,
): readonly Column<T>[] {
  const [{ workspace }] = useShellSearch()
  const choices = useQuery(workspaceChoicesQuery).data
  const isShown = workspace === undefined && choices !== undefined && choices.length > 1
  return useMemo(() => {
    const [first, ...others] = columns
    if (!isShown || first === undefined) return columns
    const column: Column<T> = {
      key: 'workspace',
      title,
      width,
      minFrameWidth,
      render: (row) => <WorkspaceName workspace={row.workspace_id} className={truncated} />,
    }
    return [
      first,
      column,
      ...others.map((other) =>
        other.minFrameWidth === undefined ? other : { ...other, minFrameWidth: other.minFrameWidth + width },
      ),
    ]
  }, [columns, isShown, title])
}
