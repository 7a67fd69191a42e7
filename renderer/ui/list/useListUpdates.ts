import { useState } from 'react'
import { useRowHoverOrFocus } from '../../lib/page/rowHoverOrFocus.ts'
import type { ListQuery } from '../../lib/service/api.ts'
import { usePausedRows } from '../../lib/state/pausedRows.ts'
import type { DataTable } from '../table/DataTable.tsx'

type Options<T> = {
  readonly idOf: (row: T) => string
  /** Filters, page and order, as text. Another scope is another list and is shown immediately. */
  readonly scope: string
  /** True while a row is open or selected. */
  readonly isInUse?: boolean
  /** Returns the label of the button that shows new rows; by default "12 new". */
  readonly waitingLabel?: (count: number, shown: string) => string
}

export type ListUpdates<T> = {
  /** The rows to show. */
  readonly rows: readonly T[]
  /** Event handlers for an element around the table. */
  readonly handlers: ReturnType<typeof useRowHoverOrFocus>['handlers']
  /** Props of the table. */
  readonly table: Pick<Parameters<typeof DataTable<T>>[0], 'rows' | 'pendingRows' | 'onAtTop'>
}

const none: readonly never[] = []

/**
 * Pauses the updates of a list while someone points at its rows, has scrolled, or has opened or selected a row.
 */
export function useListUpdates<T>(query: ListQuery<T>, options: Options<T>): ListUpdates<T> {
  const { idOf, scope, isInUse = false, waitingLabel } = options
  const [isAtTop, setAtTop] = useState(true)
  const { isHoveredOrFocused, handlers } = useRowHoverOrFocus()
  const { rows, newCount, newCountText, showNew } = usePausedRows(query.data?.data ?? none, idOf, {
    isPaused: !isAtTop || isHoveredOrFocused || isInUse,
    scope,
    isPlaceholder: query.isPlaceholderData,
    total: query.data?.total_capped === true ? undefined : query.data?.total,
  })
  const label = waitingLabel?.(newCount, newCountText)
  return {
    rows,
    handlers,
    table: {
      rows,
      onAtTop: setAtTop,
      pendingRows: { count: newCount, ...(label !== undefined && { label }), onShow: showNew },
    },
  }
}
