import { useEffect, useState } from 'react'
import type { Paging } from '../../lib/service/paging.ts'
import type { Walk } from './DetailDrawer.tsx'

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

type Crossing = { readonly from: string | undefined; readonly into: 'first' | 'last' }

/** Moves from the open row to its neighbours in the displayed list, and across pages. */
export function useWalk<T>(options: Options<T>): Walk {
  const { rows, idOf, openId, onOpen, paging, page, isPlaceholder, isByTime = false } = options
  const [crossing, setCrossing] = useState<Crossing | null>(null)
  const hasCrossed = crossing !== null && crossing.from !== page && !isPlaceholder
  const entered = hasCrossed ? (crossing.into === 'first' ? rows[0] : rows.at(-1)) : undefined
  useEffect(() => {
    if (!hasCrossed) return
    setCrossing(null)
    if (entered !== undefined) onOpen(entered)
  }, [hasCrossed, entered, onOpen])
  const at = rows.findIndex((row) => idOf(row) === openId)
  const step = (row: T | undefined, turn: (() => void) | null, into: Crossing['into']) => {
    if (at === -1) return null
    if (row !== undefined) return () => onOpen(row)
    if (turn === null) return null
    return () => {
      setCrossing({ from: page, into })
      turn()
    }
  }
  return {
    previous: step(rows[at - 1], paging.newer, 'last'),
    next: step(rows[at + 1], paging.older, 'first'),
    isByTime,
  }
}
