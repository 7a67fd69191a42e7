import { useEffect, useState } from 'react'
import type { Paging } from '../../lib/service/paging.ts'
import type { RowNavigation } from './DetailDrawer.tsx'

type Options<T> = {
  readonly rows: readonly T[]
  readonly idOf: (row: T) => string
  readonly openId: string | undefined
  readonly onOpen: (row: T) => void
  readonly paging: Paging
  /** The page's cursor, which distinguishes the rows of one page from those of the next. */
  readonly page: string | undefined
  /** True while the rows are still those of the previous page. */
  readonly isPlaceholder: boolean
  /** True for newest first: the neighbours are newer and older, otherwise previous and next. */
  readonly isByTime?: boolean
}

type PageTurn = { readonly from: string | undefined; readonly into: 'first' | 'last' }

/** Moves from the open row to its neighbours in the displayed list, and across pages. */
export function useRowNavigation<T>(options: Options<T>): RowNavigation {
  const { rows, idOf, openId, onOpen, paging, page, isPlaceholder, isByTime = false } = options
  const [pageTurn, setPageTurn] = useState<PageTurn | null>(null)
  const hasTurned = pageTurn !== null && pageTurn.from !== page && !isPlaceholder
  const entered = hasTurned ? (pageTurn.into === 'first' ? rows[0] : rows.at(-1)) : undefined
  useEffect(() => {
    if (!hasTurned) return
    setPageTurn(null)
    if (entered !== undefined) onOpen(entered)
  }, [hasTurned, entered, onOpen])
  const at = rows.findIndex((row) => idOf(row) === openId)
  const step = (row: T | undefined, turn: (() => void) | null, into: PageTurn['into']) => {
    if (at === -1) return null
    if (row !== undefined) return () => onOpen(row)
    if (turn === null) return null
    return () => {
      setPageTurn({ from: page, into })
      turn()
    }
  }
  return {
    previous: step(rows[at - 1], paging.newer, 'last'),
    next: step(rows[at + 1], paging.older, 'first'),
    isByTime,
  }
}
