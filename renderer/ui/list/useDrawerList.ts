import type { ListQuery } from '../../lib/service/api.ts'
import type { Paging } from '../../lib/service/paging.ts'
import type { RowNavigation } from '../page/DetailDrawer.tsx'
import { useRowNavigation } from '../page/rowNavigation.ts'
import { type ListUpdates, useListUpdates } from './useListUpdates.ts'

type Options = {
  /** Filters, order and page. */
  readonly search: { readonly cursor?: string | undefined }
  readonly paging: Paging
  readonly openId: string | undefined
  readonly open: (id: string) => void
  readonly isSelecting?: boolean
  /** Returns the label of the button that shows new rows; by default "12 new". */
  readonly waitingLabel?: (count: number, shown: string) => string
}

/** Returns the updates of a list whose rows open in a drawer, and the navigation from the open row to others. */
export function useDrawerList<T extends { readonly id: string }>(
  query: ListQuery<T>,
  { search, paging, openId, open, isSelecting = false, waitingLabel }: Options,
): { readonly updates: ListUpdates<T>; readonly navigation: RowNavigation } {
  const updates = useListUpdates(query, {
    idOf,
    scope: JSON.stringify(search),
    isInUse: openId !== undefined || isSelecting,
    ...(waitingLabel !== undefined && { waitingLabel }),
  })
  const navigation = useRowNavigation({
    rows: updates.rows,
    idOf,
    openId,
    onOpen: (row) => open(row.id),
    paging,
    page: search.cursor,
    isPlaceholder: query.isPlaceholderData,
  })
  return { updates, navigation }
}

const idOf = ({ id }: { readonly id: string }): string => id
